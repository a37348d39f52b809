import { code, html } from '../html.ts';
import type { Page } from '../layout.ts';
import type { SiteFacts } from '../siteFacts.ts';

/** The typed client, and the same with the published x402 packages alone. */
export function typescript({ baseUrl, mode }: SiteFacts): Page {
  return {
    path: '/guides/typescript',
    title: 'truefill from TypeScript',
    about: 'The typed client that pays for itself, and the same with the published x402 packages.',
    body: html`
<h1>From TypeScript</h1>
<p class="lead">Every field is typed from the service's own router, and a call that costs something pays for itself.</p>

<h2>The typed client</h2>
${code(
  `import { createTruefillClient } from 'truefill-client';
import { env } from 'node:process';
import { privateKeyToAccount } from 'viem/accounts';

const truefill = createTruefillClient({
  url: '${baseUrl}',
  wallet: privateKeyToAccount(env.TRUEFILL_KEY),${mode === 'sandbox' ? '\n  allowSandbox: true,' : ''}
});

const weth = '0x4200000000000000000000000000000000000006';
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const quote = await truefill.quote({ tokenIn: weth, tokenOut: usdc, sizeIn: '2.5' });
console.log(quote.amountOut, quote.confidence, quote.flags);

const check = await truefill.pretradeCheck({ token: weth, sizeUSD: '1000' });
if (check.verdict === 'avoid') console.log(check.triggers, check.reasons);`,
  'A quote and a check',
)}
<p>The client signs one payment a call and sends that same one again when an answer is late or the connection breaks. <code>spendLimit</code> bounds what it may spend. Its errors are typed by what happened to the money. The package is not on npm: <code>npm run pack:client</code> in a clone makes it; the same wallet pays on the command line with <code>npm run truefill -- quote …</code>.</p>

<h2>With the published packages alone</h2>
${code(
  `import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { env } from 'node:process';
import { privateKeyToAccount } from 'viem/accounts';

const payer = new x402Client().register('eip155:*', new ExactEvmScheme(privateKeyToAccount(env.TRUEFILL_KEY)));
const pay = wrapFetchWithPayment(fetch, payer);

const response = await pay('${baseUrl}/v1/quote', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    tokenIn: '0x4200000000000000000000000000000000000006',
    tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    sizeIn: '2.5',
  }),
});
console.log(await response.json());`,
  '@x402/fetch',
)}
<p>Amounts are strings of base units, because a JavaScript number cannot hold a wei. Turn them into <code>BigInt</code>.</p>
`,
  };
}
