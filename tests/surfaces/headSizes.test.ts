import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { headLimits } from '../../docs-site/behindProxy.ts';
import { catalogue, messageExample, type SandboxBody } from '../../router/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { type PaidRoute, type Route, routes } from '../../server/http/routes.ts';
import { buildOffers } from '../../server/payments/offer.ts';
import { offersOf } from '../../server/payments/offersOf.ts';
import { knownReasons } from '../../server/payments/paymentEvents.ts';
import { refuseUnsettled } from '../../server/payments/refusals.ts';
import { sandboxUsdcDomain } from '../../server/payments/usdc.ts';
import { type RunningServer, startServer } from '../../server/startServer.ts';
import { findWallet } from '../support/findWallet.ts';
import { type RawRequest, readHead, toBytes } from './responseHead.ts';
import { payment, serveFakes } from './serveFakes.ts';

// nginx answers 502 if the head of a response exceeds its buffer of 4,096 bytes. Every response of every path must fit,
// with all four payment networks and a long public URL.

const publicUrl = `https://${'quotes.'.repeat(7)}example`;

let server: RunningServer;
let sandbox: SandboxBody;
beforeAll(async () => {
  expect(publicUrl).toHaveLength(64);
  const env = { PORT: '0', PUBLIC_URL: publicUrl, LOG_LEVEL: 'silent', RATE_LIMIT_PER_ADDRESS: '100000' };
  server = await startServer(readConfig(env));
  sandbox = (await (await fetch(`${server.url}/sandbox`)).json()) as SandboxBody;
});
afterAll(() => server?.close());

/** One line for each response: status, size of the head, size of PAYMENT-REQUIRED, and the request. */
class Sizes {
  readonly lines: string[] = [];
  readonly tooLarge: string[] = [];
  readonly statuses = new Set<number>();

  async add(name: string, request: RawRequest | string, { port }: { port: number }) {
    const head = await readHead(port, typeof request === 'string' ? request : toBytes(request));
    const offer = head.header('PAYMENT-REQUIRED')?.length ?? 0;
    const isRefusal = head.status === 402 && /payment-signature/i.test(JSON.stringify(request));
    const line = `${head.status} head ${head.bytes} offer ${offer}: ${name}`;
    this.lines.push(line);
    this.statuses.add(head.status);
    const limit = isRefusal ? headLimits.refusedPayment : headLimits.head;
    if (head.bytes > limit || offer > headLimits.offer) this.tooLarge.push(line);
    return head;
  }

  /** Fails with all sizes if a response is too large. */
  assertSmall(): void {
    expect(this.tooLarge, this.lines.toSorted().join('\n')).toEqual([]);
  }
}

const running = () => ({ port: Number(new URL(server.url).port) });
const paidRoutes = [...routes.values()].filter((route): route is PaidRoute => route.kind === 'paid');
const json = { 'Content-Type': 'application/json' };
const browser = { Accept: 'text/html', 'Accept-Encoding': 'gzip, br' };

/** A valid request body of a route. */
function bodyOf(route: Route): object {
  if (route.kind === 'paid') return route.item.exampleRequest as object;
  if (route.kind === 'a2a') return messageExample;
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'quote', arguments: {} } };
}

/** Requests without a valid payment, for any route. */
function unpaidRequests(path: string, route: Route): [string, RawRequest][] {
  const text = JSON.stringify(bodyOf(route));
  const post = (headers: Record<string, string>, body: string): RawRequest => ({ method: 'POST', path, headers, body });
  const accept = { Accept: 'application/json, text/event-stream' };
  return [
    ...['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'].map((method): [string, RawRequest] => [method, { method, path }]),
    ['GET by a browser', { method: 'GET', path, headers: browser }],
    ['GET if changed', { method: 'GET', path, headers: { ...browser, 'If-None-Match': '*' } }],
    ['no body', post({}, '')],
    ['unpaid', post({ ...json, ...accept }, text)],
    ['x402 v1', post({ ...json, 'X-PAYMENT': 'e30=' }, text)],
    ['malformed payment', post({ ...json, 'PAYMENT-SIGNATURE': 'e30=' }, text)],
    ['invalid JSON', post(json, '{"')],
    [
      'many invalid fields',
      post(json, `{"chain":"mars",${'abcdefgh'.replaceAll(/./g, (key) => `"${key}":{},`)}"z":0}`),
    ],
    ['an unserved chain', post(json, JSON.stringify({ ...bodyOf(route), chain: 'polygon' }))],
    ['a form', post({ 'Content-Type': 'application/x-www-form-urlencoded' }, 'a=b')],
    ['gzip', post({ ...json, 'Content-Encoding': 'gzip' }, text)],
    ['too large', post(json, ' '.repeat(20_000))],
    ['a query', { method: 'POST', path: `${path}?batch=1`, headers: json, body: text }],
  ];
}

/** A PAYMENT-SIGNATURE for a 402, made by the published client. */
async function sign(route: PaidRoute, network: string, role: string): Promise<{ 'PAYMENT-SIGNATURE': string }> {
  const payer = new x402Client();
  if (network.startsWith('solana:')) {
    const { wallets = [], rpcUrl = '' } = sandbox.solana ?? {};
    const key = getBase58Encoder().encode(findWallet(wallets, role).secretKey ?? '');
    const signer = await createKeyPairSignerFromBytes(new Uint8Array(key));
    payer.register('solana:*', new ExactSvmScheme(signer, { rpcUrl }));
  } else {
    const account = privateKeyToAccount(findWallet(sandbox.wallets, role).privateKey as `0x${string}`);
    payer.register('eip155:*', new ExactEvmScheme(account));
  }
  const { headers } = await fetch(server.url + route.path, { method: 'POST' });
  const offer = decodePaymentRequiredHeader(headers.get('payment-required') ?? '');
  const accepts = offer.accepts.filter((each) => each.network === network);
  const signed = encodePaymentSignatureHeader(await payer.createPaymentPayload({ ...offer, accepts }));
  return { 'PAYMENT-SIGNATURE': signed };
}

const networks = ['eip155:8453', 'eip155:137', 'eip155:42161', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'];

test.each([...routes])('the head of every response of %s without a payment fits a proxy', async (path, route) => {
  const sizes = new Sizes();
  for (const [name, request] of unpaidRequests(path, route)) {
    await sizes.add(`${request.method} ${path} ${name}`, request, running());
  }
  sizes.assertSmall();
});

test.each(paidRoutes)('the head of every response of $path to a payment fits a proxy', async (route) => {
  const sizes = new Sizes();
  const { path } = route;
  const body = JSON.stringify(route.item.exampleRequest);
  const send = (name: string, headers: Record<string, string>, text = body) =>
    sizes.add(
      `POST ${path} ${name}`,
      { method: 'POST', path, headers: { ...json, ...headers }, body: text },
      running(),
    );
  for (const network of networks) {
    const payment = await sign(route, network, 'demo');
    expect((await send(`paid on ${network}`, payment)).status).toBe(200);
    expect((await send(`replayed on ${network}`, payment)).header('Idempotent-Replayed')).toBe('true');
    const other = body.replace(/"(size\w+)":"\d/, '"$1":"7');
    expect((await send(`reused on ${network}`, payment, other)).status).toBe(409);
    expect((await send(`refused on ${network}`, await sign(route, network, 'stranger'))).status).toBe(402);
    expect(payment['PAYMENT-SIGNATURE'].length, network).toBeLessThanOrEqual(headLimits.signature);
  }
  sizes.assertSmall();
});

test('the head of every page and of every file that a page loads fits a proxy', async () => {
  const sizes = new Sizes();
  const map = await (await fetch(`${server.url}/sitemap.xml`)).text();
  const pages = [...map.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url = '']) => url.slice(publicUrl.length));
  const texts = await Promise.all(pages.map(async (path) => (await fetch(server.url + path)).text()));
  const linked = texts.flatMap((text) => [...text.matchAll(/(?:href|src)="(\/[^"#?]*)/g)].map(([, path = '']) => path));
  const paths = new Set([...pages, ...linked, '/nowhere', '/guides/nowhere', '/assets/nowhere.js']);
  expect(paths.size).toBeGreaterThan(30);
  for (const path of paths) {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS'])
      await sizes.add(`${method} ${path}`, { method, path, headers: browser }, running());
  }
  sizes.assertSmall();
});

test('the head of responses to requests that are not HTTP fits a proxy', async () => {
  const sizes = new Sizes();
  await sizes.add('no HTTP', 'nonsense\r\n\r\n', running());
  await sizes.add('CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', running());
  await sizes.add('large headers', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, running());
  await sizes.add('a target without a path', 'GET http://x/v1/quote HTTP/1.1\r\nHost: x\r\n\r\n', running());
  expect(sizes.statuses).toEqual(new Set([400, 404, 413]));
  sizes.assertSmall();
});

/** The offers of the sandbox's networks, with addresses of their full length. */
function buildLongOffers() {
  const evm = networks.slice(0, 3).map((network) => ({
    network: network as 'eip155:8453',
    chainId: Number(network.slice('eip155:'.length)),
    rpcUrls: [],
    facilitatorKey: `0x${'5e'.repeat(32)}` as const,
    payTo: `0x${'22'.repeat(20)}` as const,
    asset: `0x${'33'.repeat(20)}` as const,
    domain: sandboxUsdcDomain,
    pricing: { feed: { address: `0x${'44'.repeat(20)}` as const, heartbeatSeconds: 60 } },
    extra: {},
  }));
  const account = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const solana = { rpcUrls: [], facilitatorKey: '', payTo: account, asset: account, extra: { feePayer: account } };
  const network = networks[3] as `solana:${string}`;
  return buildOffers(offersOf({ freeTrialGroups: ['pretrade'] }, publicUrl), [...evm, { ...solana, network }], 180);
}

/** A request that the fake payment service accepts. */
const paidPost = (route: PaidRoute): RawRequest => ({
  method: 'POST',
  path: route.path,
  headers: { ...json, ...payment() },
  body: JSON.stringify(bodyOf(route)),
});

test('the head of a refusal fits a proxy with every reason', async () => {
  const sizes = new Sizes();
  const served = await serveFakes({ baseUrl: publicUrl });
  const offers = await buildLongOffers();
  for (const route of paidRoutes) {
    const offer = offers.get(route.item.name);
    if (!offer) throw new Error(`No offer for ${route.item.name}.`);
    // A remote facilitator's reason has at most 80 characters.
    for (const reason of [...knownReasons, `a_${'b'.repeat(78)}`]) {
      const refused = { network: networks[3] ?? '', payer: 'E'.repeat(44), reason, detail: 'Refused.' };
      served.paymentService.refusal = refuseUnsettled(offer, refused);
      const head = await sizes.add(`${route.path} ${reason}`, paidPost(route), served);
      expect(head.header('PAYMENT-RESPONSE')).toBeDefined();
    }
  }
  await served.close();
  sizes.assertSmall();
});

test('the heads of 429, 500 and 503 fit a proxy', async () => {
  const sizes = new Sizes();
  const served = await serveFakes({ baseUrl: publicUrl });
  const limited = await serveFakes({ baseUrl: publicUrl, perMinute: 1 });
  const addAll = async (name: string, target: { port: number }) => {
    for (const route of paidRoutes) await sizes.add(`${route.path} ${name}`, paidPost(route), target);
  };
  const fail = () => Promise.reject(new Error('unexpected'));
  Object.assign(served.engine, { behaviour: fail });
  Object.assign(served.pretrade, { behaviour: fail });
  await addAll('failed', served);
  served.engine.down = true;
  await addAll('chain unavailable', served);
  await served.drain();
  await addAll('draining', served);
  for (const path of routes.keys()) await sizes.add(path, { method: 'GET', path }, served);
  await addAll('limited', limited);
  expect([...sizes.statuses]).toEqual(expect.arrayContaining([429, 500, 503]));
  await served.close();
  await limited.close();
  sizes.assertSmall();
});

test('every paid product is among the routes', () => {
  const paths = catalogue.flatMap(({ path, aliases, name }) => [path, ...aliases, `/trpc/${name}`]);
  expect(paidRoutes.map(({ path }) => path)).toEqual(paths);
});
