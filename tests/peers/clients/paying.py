"""Hook of schemathesis: pays for each call of a paid path with a payment of its own, signed by the x402 package."""

import os
from functools import cache

import requests
import schemathesis
from eth_account import Account
from x402 import x402ClientSync
from x402.http.utils import decode_payment_required_header, encode_payment_signature_header
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact.register import register_exact_evm_client

client = x402ClientSync()
register_exact_evm_client(client, EthAccountSigner(Account.from_key(os.environ["TRUEFILL_KEY"])))


@cache
def offer(path):
    """The terms in the 402 of a path; None if it is free."""
    header = requests.post(os.environ["TRUEFILL_URL"] + path, json={}, timeout=30).headers.get("payment-required")
    return header and decode_payment_required_header(header)


@schemathesis.hook
def before_call(context, case, kwargs):
    terms = offer(case.path) if case.method == "POST" else None
    if terms:
        payment = client.create_payment_payload(terms)
        case.headers["PAYMENT-SIGNATURE"] = encode_payment_signature_header(payment)
