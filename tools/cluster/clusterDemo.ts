import { setTimeout as sleep } from 'node:timers/promises';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { decodePaymentResponseHeader, x402Client } from '@x402/fetch';
import { createPublicClient, erc20Abi, formatUnits, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { startPostgres, startSandbox } from '../../sandbox/index.ts';
import { startBalancer } from './balancer.ts';
import { startReplica } from './startReplica.ts';

// npm run cluster:demo: three services in processes of their own, a load balancer and a real PostgreSQL on this
// machine; buys from them, kills one, and lets USDC judge. With `-- --stay` it stays up.

const say = (text: string): void => console.log(text);
const aliases = ['/v1/pretrade/check', '/v1/token-safety', '/v1/rug-check'];

say('Starting a local chain, PostgreSQL and three services …');
const [sandbox, postgres] = await Promise.all([startSandbox({ chains: ['base'], mainnetUsdc: true }), startPostgres()]);
const chain = sandbox.chains.base;
if (!chain) throw new Error('The sandbox came up without Base.');
const { usdc, wrappedNative, rpcUrl } = chain;
const walletOf = (role: string) => {
  const wallet = sandbox.wallets.find((entry) => entry.role === role);
  if (!wallet) throw new Error(`The sandbox has no ${role} wallet.`);
  return wallet;
};
const environment = {
  RPC_URL_BASE: rpcUrl,
  PAY_TO_EVM: walletOf('payTo').address,
  FACILITATOR_KEY_EVM: walletOf('facilitator').privateKey,
  DATABASE_URL: postgres.url,
  PUBLIC_URL: 'https://truefill.example',
  TRUSTED_PROXIES: '1',
  RATE_LIMIT_PER_ADDRESS: '10000',
  FRESHNESS_MS_BASE: '60000',
  LOG_LEVEL: 'error',
  // No explorer knows the local chain.
  BLOCKSCOUT_URL: 'off',
  DEXSCREENER_URL: 'off',
  GECKOTERMINAL_URL: 'off',
};
const replicas = await Promise.all([1, 2, 3].map(() => startReplica(environment)));
const balancer = await startBalancer(replicas.map(({ url }) => url));
say(`Balancer ${balancer.url}\nReplicas ${replicas.map(({ url }) => url).join(' ')}\nDatabase ${postgres.url}\n`);

const client = createPublicClient({ transport: http(rpcUrl) });
const taken = () =>
  client.readContract({
    address: usdc,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [walletOf('payTo').address],
  });
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(balancer.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
async function sign(path: string): Promise<Record<string, string>> {
  const offer = decodePaymentRequiredHeader((await post(path, {})).headers.get('payment-required') ?? '');
  const signer = new ExactEvmScheme(privateKeyToAccount(walletOf('demo').privateKey));
  const payload = await new x402Client().register('eip155:8453', signer).createPaymentPayload(offer);
  return { 'payment-signature': encodePaymentSignatureHeader(payload) };
}
/** Sends the same signature again, as the service asks for, until there is an answer. */
async function buy(path: string, body: unknown, signature: Record<string, string>): Promise<Response> {
  for (;;) {
    const response = await post(path, body, signature);
    if (response.status !== 503) return response;
    await sleep(1_000);
  }
}
let hasFailed = false;
async function expectTaken(what: string, before: bigint, expected: bigint): Promise<void> {
  const paid = (await taken()) - before;
  hasFailed ||= paid !== expected;
  say(`  ${what}: charged ${formatUnits(paid, 6)} USDC, expected ${formatUnits(expected, 6)}`);
}

try {
  say('25 first calls of one wallet at once, over three paths and three replicas:');
  let before = await taken();
  const calls = await Promise.all(
    Array.from({ length: 25 }, async (_, n) => {
      const path = aliases[n % 3] ?? '';
      const response = await buy(path, { token: wrappedNative }, await sign(path));
      return decodePaymentResponseHeader(response.headers.get('payment-response') ?? '');
    }),
  );
  const free = calls.filter(({ extra }) => extra?.freeTrial).length;
  hasFailed ||= free !== 1;
  await expectTaken(`${free} free, ${25 - free} paid`, before, 24n * 50_000n);

  say('One payment, sent twelve times at once:');
  before = await taken();
  const quoteInput = { tokenIn: wrappedNative, tokenOut: usdc, sizeIn: '0.5' };
  const signature = await sign('/v1/quote');
  const bodies = await Promise.all(
    Array.from({ length: 12 }, async () => (await buy('/v1/quote', quoteInput, signature)).text()),
  );
  await expectTaken(`${new Set(bodies).size} answer`, before, 20_000n);

  say('30 paid calls, and one of the replicas is killed among them:');
  before = await taken();
  const buying = Array.from({ length: 30 }, async (_, n) => {
    const sizeIn = `0.${n + 10}`;
    return (await buy('/v1/quote', { ...quoteInput, sizeIn }, await sign('/v1/quote'))).status;
  });
  await sleep(300);
  await replicas[0]?.kill();
  const statuses = await Promise.all(buying);
  await expectTaken(`${statuses.filter((status) => status === 200).length} answers`, before, 30n * 20_000n);

  for (const [url, count] of balancer.served) say(`  ${url} answered ${count} requests`);
  if (process.argv.includes('--stay')) {
    say('\nUp until Ctrl-C.');
    await new Promise<void>((resolve) => {
      const alive = setInterval(() => undefined, 60_000);
      process.once('SIGINT', () => {
        clearInterval(alive);
        resolve();
      });
    });
  }
} finally {
  await balancer.close();
  await Promise.all(replicas.map((replica) => replica.stop()));
  await Promise.all([sandbox.close(), postgres.close()]);
}
if (hasFailed) {
  console.error('The USDC that moved is not what it should be.');
  process.exitCode = 1;
}
