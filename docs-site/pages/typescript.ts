import { code } from '../code.ts';
import { html } from '../html.ts';
import type { Page } from '../layout.ts';
import type { SiteFacts } from '../siteFacts.ts';

const clientSample = ({ baseUrl, mode }: SiteFacts) =>
  `import { createTruefillClient, isTradable } from 'truefill-client';
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
if (!isTradable(check)) console.log(check.verdict, check.triggers, check.reasons);`;

const paymentLinkSample = ({ baseUrl, mode }: SiteFacts) =>
  `import { createTRPCClient, TRPCClientError } from '@trpc/client';
import { env } from 'node:process';
import { AnswerPendingError } from 'truefill-client';
import { type AppRouter, paymentLink } from 'truefill-client/trpc';
import { privateKeyToAccount } from 'viem/accounts';

const trpc = createTRPCClient<AppRouter>({
  links: [
    paymentLink({
      url: '${baseUrl}',
      wallet: privateKeyToAccount(env.TRUEFILL_KEY as \`0x\${string}\`),${mode === 'sandbox' ? '\n      allowSandbox: true,' : ''}
      spendLimit: { perCallUsd: 0.05, totalUsd: 5 },
    }),
  ],
});

const request = {
  tokenIn: '0x4200000000000000000000000000000000000006',
  tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  sizeIn: '2.5',
} as const;
const quote = await trpc.quote.mutate(request).catch((error) => {
  const cause = error instanceof TRPCClientError ? error.cause : error;
  if (!(cause instanceof AnswerPendingError)) throw error;
  // The payment was sent and its answer was lost: the same payment fetches it.
  return trpc.quote.mutate(request, { context: { pending: cause.pending } });
});
console.log(quote.amountOut, quote.confidence);`;

const publishedPackagesSample = ({ baseUrl }: SiteFacts) =>
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
console.log(await response.json());`;

/** The typed client, typed tRPC, and the same with the published x402 packages alone. */
export function typescript(facts: SiteFacts): Page {
  return {
    path: '/guides/typescript',
    title: 'truefill from TypeScript',
    about: 'The typed client that pays for each call, typed tRPC, and the same with the published x402 packages.',
    body: html`
<h1>From TypeScript</h1>
<p class="lead">Every field is typed from the service's own router, and the client pays for each paid call.</p>

<h2>The typed client</h2>
${code(clientSample(facts), 'A quote and a check', 'ts')}
<p>The client signs one payment a call and sends that same one again when an answer is late or the connection breaks. <code>spendLimit</code> bounds its signed payments: each counts until it expires, also if the service reports that it charged nothing. If a network cannot settle, the client pays on another one that is offered. Its errors are typed by what happened to the money. The package is not on npm: <code>npm run pack:client</code> in a clone builds it. The same wallet pays on the command line with <code>npm run truefill -- quote …</code>. There <code>--resume</code> fetches the answer to an interrupted call.</p>

<h2>Trade on a quote, and verify it</h2>
${code(
  `import { toTransaction, verify } from 'truefill-client';
import { createWalletClient, http, publicActions } from 'viem';
import { base } from 'viem/chains';

const wallet = createWalletClient({ account, chain: base, transport: http('http://127.0.0.1:8545') }).extend(publicActions);
const swap = toTransaction(quote, { taker: account.address, slippageBps: 50 });
for (const { to, data } of swap.approvals) {
  const hash = await wallet.sendTransaction({ to, data });
  await wallet.waitForTransactionReceipt({ hash }); // the swap needs the approval
}
await wallet.sendTransaction({ to: swap.to, data: swap.data, value: swap.value });

const { claimed, executed, difference } = await verify(quote, { rpcUrl: 'http://127.0.0.1:8545' });`,
  'One transaction, and the same legs on a node of your own',
  'ts',
)}
<p><code>toTransaction</code> encodes the whole route for a published router: Uniswap's Universal Router for uniswap-v2, -v3 and -v4, otherwise the venue's own router. The approvals are transactions of their own, for exactly the amount; the Universal Router needs two: the token approves Permit2, and Permit2 approves the router. The router reverts below <code>minAmountOut</code>. Where no single transaction executes the route, it throws <code>NoSingleTransactionError</code> with the reason: for example, legs on different venues. Execute such legs one by one, each with its own <code>amountIn</code>. A split route is one transaction if one router can execute all of its legs. Each leg that buys tokenOut then has its own minimum.</p>
<p>If truefill's executor executed the quote (<code>executor</code> of the flag <code>ROUTE_GAS</code>), the transaction uses it by default; <code>via: 'router'</code> selects a published router. The executor executes every route in one transaction. It reverts if all legs together pay the receiver less than the minimum. It is not audited. <code>hasExecutor({ chain, rpcUrl })</code> reads whether your node's chain has it. Pass <code>expected</code> (chain, tokens, <code>maxAmountIn</code>) so that a faulty service cannot choose what you sell. Without this package, <a href="/reference#buildTransaction"><code>POST /v1/quote/transaction</code></a> returns the same transaction, free. On the command line: <code>npm run truefill -- swap answer.json --rpc http://127.0.0.1:8545</code> shows and simulates it for the account of <code>TRUEFILL_KEY</code>, or of <code>--from</code> without a key; <code>--send</code> sends it.</p>
<p><code>verify</code> executes the legs at the quote's block by <code>eth_call</code> on your node, which needs the state of that block, state overrides and <code>eth_createAccessList</code>. A difference of 0 means that your node pays the quoted amount to the unit. The same on the command line: <code>npm run truefill -- verify answer.json --rpc http://127.0.0.1:8545</code>.</p>

<h2>Typed tRPC</h2>
<p>Each call is also a tRPC mutation: ${facts.items.map(({ name }, index) => html`${index > 0 && ', '}<code>POST /trpc/${name}</code>`)}. The package exports the router's type and a terminating link that pays. Install <code>@trpc/client</code> and <code>@trpc/server</code> 11 beside it.</p>
${code(paymentLinkSample(facts), 'A quote over tRPC', 'ts')}
<p>Options, retries and spend limit are those of <code>createTruefillClient</code>. A failed call throws a <code>TRPCClientError</code>: its <code>cause</code> is one of the package's errors, and <code>data.reason</code> is the error body of the service. A lost answer is resumed by the same call with <code>context: { pending }</code>, or by <code>resume(pending)</code> of <code>createTruefillClient</code>. Batching links cannot pay: each payment buys one call.</p>

<h2>With the published packages alone</h2>
${code(publishedPackagesSample(facts), '@x402/fetch', 'ts')}
<p>Amounts are strings of base units, because a JavaScript number cannot hold a wei. Turn them into <code>BigInt</code>.</p>
`,
  };
}
