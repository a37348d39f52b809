#!/usr/bin/env python3
"""Buys a call from a truefill service, with only Python's standard library.

    TRUEFILL_KEY=0x… python3 truefill.py http://127.0.0.1:4020 /v1/quote \
        '{"tokenIn":"0x4200000000000000000000000000000000000006","tokenOut":"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913","sizeIn":"2.5"}'

It was written only from the service's /llms.txt and /openapi.json. The answer goes to stdout, the receipt to stderr.
Exit codes: 0 answered; 1 refused, see the message; 2 verdict avoid; 5 verdict clear, but simulated trades failed or lost most
of the money; 75 a payment was sent, but no answer arrived (run the command again with the printed TRUEFILL_RESUME).

keccak256, EIP-712 and secp256k1 are implemented here so that they can be ported to other languages. They do not run in
constant time. If others can measure your process, sign with a hardened library such as eth_account.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import sys
import time
import urllib.error
import urllib.request

MAX_USD = 0.10  # maximum price of one call
ATTEMPTS = 6  # maximum number of requests with one signature


# --- keccak256, with 0x01 padding as in Ethereum; hashlib's sha3_256 has another padding ---

ROUND_CONSTANTS = []
lfsr = 1
for _ in range(24):
    constant = 0
    for bit in range(7):
        if lfsr & 1:
            constant |= 1 << ((1 << bit) - 1)
        lfsr = (lfsr << 1) ^ (0x171 if lfsr & 0x80 else 0)
    ROUND_CONSTANTS.append(constant)

MASK = (1 << 64) - 1


def rotate(word, by):
    by %= 64
    return ((word << by) | (word >> (64 - by))) & MASK


def permute(lanes):
    for constant in ROUND_CONSTANTS:
        parity = [lanes[x][0] ^ lanes[x][1] ^ lanes[x][2] ^ lanes[x][3] ^ lanes[x][4] for x in range(5)]
        for x in range(5):
            mixed = parity[(x - 1) % 5] ^ rotate(parity[(x + 1) % 5], 1)
            for y in range(5):
                lanes[x][y] ^= mixed
        x, y, current = 1, 0, lanes[1][0]
        for step in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            current, lanes[x][y] = lanes[x][y], rotate(current, (step + 1) * (step + 2) // 2)
        for y in range(5):
            row = [lanes[x][y] for x in range(5)]
            for x in range(5):
                lanes[x][y] = row[x] ^ (~row[(x + 1) % 5] & MASK & row[(x + 2) % 5])
        lanes[0][0] ^= constant


def keccak256(data):
    rate = 136
    padded = bytearray(data) + b"\x01" + b"\x00" * ((-len(data) - 1) % rate)
    padded[-1] |= 0x80
    lanes = [[0] * 5 for _ in range(5)]
    for start in range(0, len(padded), rate):
        for at in range(rate // 8):
            lanes[at % 5][at // 5] ^= int.from_bytes(padded[start + 8 * at : start + 8 * at + 8], "little")
        permute(lanes)
    return b"".join(lanes[at % 5][at // 5].to_bytes(8, "little") for at in range(4))


# --- secp256k1: ECDSA with the nonce of RFC 6979 and the low s that contracts require (EIP-2) ---

P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


def add(a, b):
    if a is None:
        return b
    if b is None:
        return a
    if a[0] == b[0]:
        if (a[1] + b[1]) % P == 0:
            return None
        slope = 3 * a[0] * a[0] * pow(2 * a[1], -1, P) % P
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P) % P
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def multiply(factor, point=G):
    total = None
    while factor:
        if factor & 1:
            total = add(total, point)
        point = add(point, point)
        factor >>= 1
    return total


def nonces(key, digest):
    """The candidate nonces of RFC 6979, section 3.2."""
    v, k = b"\x01" * 32, b"\x00" * 32
    seed = key.to_bytes(32, "big") + (int.from_bytes(digest, "big") % N).to_bytes(32, "big")
    for mark in (b"\x00", b"\x01"):
        k = hmac.new(k, v + mark + seed, hashlib.sha256).digest()
        v = hmac.new(k, v, hashlib.sha256).digest()
    while True:
        v = hmac.new(k, v, hashlib.sha256).digest()
        yield int.from_bytes(v, "big")
        k = hmac.new(k, v + b"\x00", hashlib.sha256).digest()
        v = hmac.new(k, v, hashlib.sha256).digest()


def sign(key, digest):
    """Signs a digest. Returns 65 bytes: r, s and v, which is 27 or 28."""
    for nonce in nonces(key, digest):
        if not 0 < nonce < N:
            continue
        x, y = multiply(nonce)
        r = x % N
        s = pow(nonce, -1, N) * (int.from_bytes(digest, "big") + r * key) % N
        if r == 0 or s == 0:
            continue
        parity = (y & 1) ^ (s > N // 2)
        return r.to_bytes(32, "big") + min(s, N - s).to_bytes(32, "big") + bytes([27 + parity])


def checksummed(address):
    """The address in hex with the checksum of EIP-55 in the case of its letters."""
    plain = address.hex()
    marks = keccak256(plain.encode()).hex()
    return "0x" + "".join(c.upper() if int(marks[i], 16) > 7 else c for i, c in enumerate(plain))


def address_of(key):
    x, y = multiply(key)
    return checksummed(keccak256(x.to_bytes(32, "big") + y.to_bytes(32, "big"))[12:])


# --- EIP-712 and EIP-3009: the signed data ---

DOMAIN = b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
TRANSFER = (
    b"TransferWithAuthorization(address from,address to,uint256 value,"
    b"uint256 validAfter,uint256 validBefore,bytes32 nonce)"
)


def word(value):
    """Encodes a value as 32 bytes of an EIP-712 struct: a number, an address or bytes32 in hex, or the hash of a text."""
    if isinstance(value, int):
        return value.to_bytes(32, "big")
    if value.startswith("0x"):
        return bytes.fromhex(value[2:]).rjust(32, b"\x00")
    return keccak256(value.encode())


def struct_hash(kind, *values):
    return keccak256(keccak256(kind) + b"".join(word(value) for value in values))


def authorize(key, accepted):
    """Signs the transfer of one entry of accepts[]. Returns the `payload` of the payment."""
    chain_id = int(accepted["network"].removeprefix("eip155:"))
    domain = struct_hash(DOMAIN, accepted["extra"]["name"], accepted["extra"]["version"], chain_id, accepted["asset"])
    authorization = {
        "from": address_of(key),
        "to": accepted["payTo"],
        "value": accepted["amount"],
        "validAfter": "0",
        "validBefore": str(int(time.time()) + accepted["maxTimeoutSeconds"]),
        "nonce": "0x" + secrets.token_hex(32),
    }
    numbers = {"value", "validAfter", "validBefore"}
    values = [int(value) if name in numbers else value for name, value in authorization.items()]
    digest = keccak256(b"\x19\x01" + domain + struct_hash(TRANSFER, *values))
    return {"authorization": authorization, "signature": "0x" + sign(key, digest).hex()}


# --- the call ---


def encode(value):
    return base64.b64encode(json.dumps(value).encode()).decode()


def decode(header):
    return json.loads(base64.b64decode(header)) if header else {}


def post(url, body, signature=None):
    """Sends one POST. Returns status, headers and JSON. Raises OSError if the connection is lost."""
    headers = {"content-type": "application/json"}
    if signature:
        headers["PAYMENT-SIGNATURE"] = signature
    request = urllib.request.Request(url, data=body, headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, response.headers, json.load(response)
    except urllib.error.HTTPError as error:
        text = error.read()
        try:
            return error.code, error.headers, json.loads(text)
        except ValueError:
            return error.code, error.headers, {"code": "UNKNOWN", "detail": text[:200].decode(errors="replace")}


def choose(accepts):
    """Returns the first payment option on an EVM network. Exits if its price exceeds MAX_USD."""
    for accepted in accepts:
        if accepted["scheme"] == "exact" and accepted["network"].startswith("eip155:"):
            if int(accepted["amount"]) > MAX_USD * 1_000_000:
                sys.exit(f"The call costs {int(accepted['amount']) / 1_000_000} USD, but MAX_USD is {MAX_USD}. Nothing was signed.")
            return accepted
    sys.exit("The service accepts no payment on an EVM network. Nothing was signed.")


def redeem(url, body, signature):
    """Sends one signature until an answer arrives. The service never charges it twice."""
    wait = 1
    for _ in range(ATTEMPTS):
        try:
            status, headers, answer = post(url, body, signature)
        except OSError as error:
            print(f"connection lost: {error}", file=sys.stderr)
        else:
            if status not in (429, 500, 503):
                return status, headers, answer
            wait = int(headers.get("Retry-After") or wait)
            print(f"{status} {answer.get('code')}: retrying in {wait} s", file=sys.stderr)
        time.sleep(min(wait, 30))
        wait *= 2
    print(f"TRUEFILL_RESUME={signature}", file=sys.stderr)
    sys.exit(75)


def read_key():
    """Returns the private key of TRUEFILL_KEY. An invalid value is not printed: it may be a mistyped key."""
    text = os.environ.get("TRUEFILL_KEY", "").strip()
    if not re.fullmatch("(0x)?[0-9a-fA-F]{64}", text) or not 0 < int(text, 16) < N:
        sys.exit("TRUEFILL_KEY must be a private key: 0x and 64 hexadecimal digits.")
    return int(text, 16)


def is_tradable(answer):
    """Whether simulated trades of an ordinary wallet worked and returned most of the money; true for a quote."""
    if "risk_profile" not in answer:
        return True
    trades = answer["risk_profile"]["transferability"]
    taxes = [trades["buyTaxRaw"] or 0, trades["sellTaxRaw"] or 0]
    returned = trades.get("roundTripPct")
    return trades["outcome"] == "tradable" and max(taxes) <= 0.5 and (returned is None or returned >= 50)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    base, path, text = sys.argv[1:4]
    with urllib.request.urlopen(f"{base}/openapi.json", timeout=30) as response:
        document = json.load(response)
    operation = document["paths"].get(path, {}).get("post")
    if not operation or "x-payment-info" not in operation:
        paid = [name for name, item in document["paths"].items() if "x-payment-info" in item.get("post", {})]
        sys.exit(f"{path} is not a paid call. Paid calls: {', '.join(paid)}")

    url, body = base + path, json.dumps(json.loads(text)).encode()
    signature = os.environ.get("TRUEFILL_RESUME")
    if not signature:
        status, headers, answer = post(url, body)
        if status != 402:
            sys.exit(f"{status} {answer.get('code')}: {answer.get('detail')} {answer.get('issues', '')}")
        accepted = choose(decode(headers["PAYMENT-REQUIRED"])["accepts"])
        key = read_key()
        signature = encode({"x402Version": 2, "accepted": accepted, "payload": authorize(key, accepted)})

    status, headers, answer = redeem(url, body, signature)
    print(json.dumps(decode(headers["PAYMENT-RESPONSE"])), file=sys.stderr)
    if status != 200:
        sys.exit(f"{status} {answer.get('code')}: {answer.get('detail')}")
    print(json.dumps(answer, indent=2))
    sys.exit(2 if answer.get("verdict") == "avoid" else 0 if is_tradable(answer) else 5)


if __name__ == "__main__":
    main()
