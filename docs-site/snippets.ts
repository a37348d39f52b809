import { codeTabs, type Tab } from './code.ts';
import type { Markup } from './html.ts';

interface Call {
  baseUrl: string;
  mode: 'sandbox' | 'live';
  version: string;
  path: string;
  /** The tRPC procedure. */
  name: string;
  body: unknown;
}

/** One paid call in each language, with published x402 packages, without our client. */
export function callTabs(call: Call): Markup {
  return codeTabs('language', [curl(call), typescriptRest(call), typescriptTrpc(call), python(call), go(call)]);
}

const indent = (text: string, by: string) => text.replaceAll('\n', `\n${by}`);

const curl = ({ baseUrl, mode, path, body }: Call): Tab => ({
  label: 'curl',
  language: 'sh',
  source: `# Run this in a clone of the project, which signs in step 2.
# 1. The price: 402 with the header PAYMENT-REQUIRED
curl -si ${baseUrl}${path} -H 'content-type: application/json' \\
  -d '${JSON.stringify(body)}' > offer.txt

# 2. Sign one entry of accepts[]${mode === 'live' ? ', with the key in TRUEFILL_KEY' : '; --sandbox is the demo wallet'}
SIGNED=$(npm run -s truefill -- sign${mode === 'sandbox' ? ` --sandbox --url ${baseUrl}` : ''} < offer.txt)

# 3. The identical request with the signature: 200 and the answer
curl -si ${baseUrl}${path} -H 'content-type: application/json' \\
  -H "PAYMENT-SIGNATURE: $SIGNED" \\
  -d '${JSON.stringify(body)}'`,
});

const typescriptRest = ({ baseUrl, path, body }: Call): Tab => ({
  label: 'TypeScript (REST)',
  language: 'ts',
  source: `// npm install @x402/fetch @x402/evm viem tsx
// Save as call.mts and run: npx tsx call.mts
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { env } from 'node:process';
import { privateKeyToAccount } from 'viem/accounts';

const account = privateKeyToAccount(env.TRUEFILL_KEY as \`0x\${string}\`);
const payer = new x402Client().register('eip155:*', new ExactEvmScheme(account));
const pay = wrapFetchWithPayment(fetch, payer);

const response = await pay('${baseUrl}${path}', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(${indent(toLiteral(body), '  ')}),
});
console.log(response.status, await response.json());`,
});

const typescriptTrpc = ({ baseUrl, mode, version, name, body }: Call): Tab => ({
  label: 'TypeScript (tRPC)',
  language: 'ts',
  source: `// truefill-client is not on npm. In a clone of the project: npm run pack:client && npm pack ./dist/client
// npm install <clone>/truefill-client-${version}.tgz @trpc/client @trpc/server viem tsx
// Save as call.mts and run: npx tsx call.mts
import { createTRPCClient } from '@trpc/client';
import { env } from 'node:process';
import { type AppRouter, paymentLink } from 'truefill-client/trpc';
import { privateKeyToAccount } from 'viem/accounts';

const trpc = createTRPCClient<AppRouter>({
  links: [
    paymentLink({
      url: '${baseUrl}',
      wallet: privateKeyToAccount(env.TRUEFILL_KEY as \`0x\${string}\`),${mode === 'sandbox' ? '\n      allowSandbox: true,' : ''}
    }),
  ],
});
console.log(await trpc.${name}.mutate(${toLiteral(body)}));`,
});

const python = ({ baseUrl, path, body }: Call): Tab => ({
  label: 'Python',
  language: 'python',
  source: `# Python 3.10 or newer
# pip install 'x402[requests,evm]'
import os

from eth_account import Account
from x402 import x402ClientSync
from x402.http.clients import x402_requests
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact.register import register_exact_evm_client

client = x402ClientSync()
register_exact_evm_client(client, EthAccountSigner(Account.from_key(os.environ["TRUEFILL_KEY"])))

with x402_requests(client) as session:
    response = session.post(
        "${baseUrl}${path}",
        json=${indent(JSON.stringify(body, null, 4), '        ')},
    )
    print(response.status_code, response.json())`,
});

const go = ({ baseUrl, path, body }: Call): Tab => ({
  label: 'Go',
  language: 'go',
  source: `// Go 1.25 or newer
// Save as main.go, then: go mod init call && go mod tidy && go run .
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	x402 "github.com/x402-foundation/x402/go/v2"
	x402http "github.com/x402-foundation/x402/go/v2/http"
	evm "github.com/x402-foundation/x402/go/v2/mechanisms/evm/exact/client"
	signers "github.com/x402-foundation/x402/go/v2/signers/evm"
)

func main() {
	signer, err := signers.NewClientSignerFromPrivateKey(os.Getenv("TRUEFILL_KEY"))
	if err != nil {
		panic(err)
	}
	payer := x402.Newx402Client().Register("eip155:*", evm.NewExactEvmScheme(signer, nil))
	client := x402http.WrapHTTPClientWithPayment(http.DefaultClient, x402http.Newx402HTTPClient(payer))

	body := \`${JSON.stringify(body)}\`
	response, err := client.Post("${baseUrl}${path}", "application/json", strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	fmt.Println(response.Status, string(answer))
}`,
});

/** An object of plain values as TypeScript. */
const toLiteral = (body: unknown): string =>
  JSON.stringify(body, null, 2)
    .replaceAll(/^(\s+)"(\w+)":/gm, '$1$2:')
    .replaceAll('"', "'");
