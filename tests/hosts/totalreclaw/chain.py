"""TotalReclaw's servers in memory, behind the HTTP client: the relay, the subgraph, the bundler and the public chain.

They speak as the real client speaks to them: signed operations carry ABI-encoded calls with protobuf facts, which are
applied; GraphQL is told by the name of its query. A request to anywhere else than here and 127.0.0.1 fails.
"""

from __future__ import annotations

import hashlib
import json
import struct
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
from eth_abi import decode

RELAY = "api.totalreclaw.xyz"
CHAINS = {"sepolia.base.org": 84532, "rpc.gnosischain.com": 100}
GET_ADDRESS, EXECUTE, EXECUTE_BATCH = "8cb84e18", "b61d27f6", "47e1da2a"


@dataclass(frozen=True)
class Fact:
    id: str
    owner: str
    blob: str
    embedding: str | None
    indices: tuple[str, ...]
    fingerprint: str
    written: int
    active: bool = True

    def told(self) -> dict[str, Any]:
        """As the subgraph tells of it."""
        stamp = str(self.written)
        return {
            "id": self.id,
            "owner": self.owner,
            "encryptedBlob": "0x" + self.blob,
            "encryptedEmbedding": self.embedding,
            "decayScore": "0.8",
            "timestamp": stamp,
            "createdAt": stamp,
            "isActive": self.active,
            "contentFp": self.fingerprint,
            "blockNumber": stamp,
        }


@dataclass
class Chain:
    """`chain_id`: what the relay sends writes to. `broken`: paths of the relay that answer with an error."""

    chain_id: int = 84532
    facts: dict[str, Fact] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    deletes: list[str] = field(default_factory=list)
    _nonces: dict[str, int] = field(default_factory=dict)
    _lock: Any = field(default_factory=threading.RLock)

    def answer(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            body = json.loads(request.content or b"{}")
            if request.url.host in CHAINS:
                return _rpc(self._chain(body))
            if request.url.host != RELAY:
                raise httpx.ConnectError("there is no network", request=request)
            path = request.url.path
            if path in self.broken:
                return httpx.Response(503, json={"error": "down"})
            match path:
                case "/v1/register":
                    return httpx.Response(200, json={"user_id": "u"})
                case "/v1/billing/status":
                    return httpx.Response(200, json={"tier": "pro", "chain_id": self.chain_id})
                case "/v1/subgraph":
                    return httpx.Response(200, json={"data": self._graph(body["query"], body["variables"])})
                case "/v1/bundler":
                    return _rpc(self._bundler(body["method"], body["params"]))
            raise AssertionError(f"an unknown path of the relay: {path}")

    def _chain(self, body: dict[str, Any]) -> str:
        if body["method"] == "eth_getCode":
            return "0x01"
        data = body["params"][0]["data"].removeprefix("0x")
        if data.startswith(GET_ADDRESS):
            return "0x" + "0" * 24 + hashlib.sha256(data[8:72].encode()).hexdigest()[:40]
        return hex(self._nonces.get(data[8:72][-40:], 1))

    def _graph(self, query: str, given: dict[str, Any]) -> dict[str, Any]:
        mine = [fact for fact in self.facts.values() if fact.owner == given.get("owner") and fact.active]
        if "FactById" in query or "ConfirmIndexed" in query:
            fact = self.facts.get(given["id"])
            return {"fact": fact.told() if fact else None}
        if "SearchByBlindIndex" in query:
            wanted = set(given["trapdoors"])
            found = [fact for fact in mine if wanted.intersection(fact.indices)]
            return {"blindIndexes": [{"id": fact.id, "fact": fact.told()} for fact in found]}
        if "contentFp_in" in query:
            mine = [fact for fact in mine if fact.fingerprint in given["fps"]]
        skip = given.get("skip", 0)
        return {"facts": [fact.told() for fact in mine[skip : skip + given.get("first", 1000)]]}

    def _bundler(self, method: str, params: list[Any]) -> Any:
        match method:
            case "pimlico_getUserOperationGasPrice":
                return {"fast": {"maxFeePerGas": "0x1", "maxPriorityFeePerGas": "0x1"}}
            case "pm_sponsorUserOperation":
                gas = ("callGasLimit", "verificationGasLimit", "preVerificationGas")
                gas += ("paymasterVerificationGasLimit", "paymasterPostOpGasLimit")
                return {**dict.fromkeys(gas, "0x1"), "paymaster": "0x" + "1" * 40, "paymasterData": "0x"}
            case "eth_sendUserOperation":
                operation = params[0]
                sender = operation["sender"].removeprefix("0x").lower()
                self._nonces[sender] = int(operation["nonce"], 16) + 1
                for payload in _payloads(bytes.fromhex(operation["callData"].removeprefix("0x"))):
                    self._apply(payload)
                return "0x" + hashlib.sha256(operation["callData"].encode()).hexdigest()
            case "eth_getUserOperationReceipt":
                return {"success": True, "receipt": {"status": "0x1"}}
        raise AssertionError(f"an unknown method of the bundler: {method}")

    def _apply(self, payload: bytes) -> None:
        fields: dict[int, list[Any]] = {}
        for number, value in _wire(payload):
            fields.setdefault(number, []).append(value)
        name = fields[1][0].decode()
        if fields[6][0] == 0.0:
            self.deletes.append(name)
            if name in self.facts:
                self.facts[name] = replace(self.facts[name], active=False)
            return
        sealed = fields.get(13)
        self.facts[name] = Fact(
            name,
            fields[3][0].decode().lower(),
            fields[4][0].hex(),
            sealed[0].decode() if sealed else None,
            tuple(index.decode() for index in fields.get(5, ())),
            fields[10][0].decode() if 10 in fields else "",
            int(time.time()),
        )


def _rpc(result: Any) -> httpx.Response:
    return httpx.Response(200, json={"jsonrpc": "2.0", "id": 1, "result": result})


def _payloads(call: bytes) -> tuple[bytes, ...]:
    """The facts of one operation: SimpleAccount.execute, or executeBatch."""
    selector, arguments = call[:4].hex(), call[4:]
    if selector == EXECUTE:
        return (decode(["address", "uint256", "bytes"], arguments)[2],)
    assert selector == EXECUTE_BATCH, selector
    return decode(["address[]", "uint256[]", "bytes[]"], arguments)[2]


def _wire(data: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a protobuf message: (number, bytes, float or int)."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 2:
            size = varint()
            yield key >> 3, data[at : at + size]
            at += size
        elif key & 7 == 1:
            yield key >> 3, struct.unpack_from("<d", data, at)[0]
            at += 8
        else:
            yield key >> 3, varint()
