"""Buys a quote on Solana with the x402 package. Prints the status, the answer and the receipt."""

import os

from x402 import x402ClientSync
from x402.http.clients import x402_requests
from x402.mechanisms.svm import KeypairSigner
from x402.mechanisms.svm.exact.register import register_exact_svm_client

client = x402ClientSync()
signer = KeypairSigner.from_base58(os.environ["SOLANA_KEY"])
register_exact_svm_client(client, signer, rpc_url=os.environ["SOLANA_RPC_URL"])

with x402_requests(client) as session:
    response = session.post(
        os.environ["TRUEFILL_URL"] + "/v1/quote",
        headers={"content-type": "application/json"},
        data=os.environ["REQUEST"],
    )
    print(response.status_code, response.text)
    print(response.headers["payment-response"])
