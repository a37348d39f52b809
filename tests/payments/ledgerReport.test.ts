import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { erc20Abi, type Hex, parseEventLogs } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProxiedCall, type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import { report } from '../../server/ledgerCommand/report.ts';
import { readReportOptions } from '../../server/ledgerCommand/reportOptions.ts';
import { settledResponse } from '../../server/payments/refusals.ts';
import { openBook, openStores } from '../../server/storage/index.ts';
import { bundleScript } from '../support/bundleScript.ts';
import { factsOf } from '../support/scriptedNetwork.ts';
import { answerTo, assertServed, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';

// The report, and its comparison with the chain. The judge is the token on the chain: its balances, logs and receipts.

const network = 'eip155:8453';
/** Decimal US dollars of three payments. */
const sold = { units: 3n * price, usd: 0.06 };
const foreignUnits = 12_345n;
const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

let fixture: PaymentFixture;
let proxy: RpcProxy;
let file: string;
let before: bigint;
beforeAll(async () => {
  fixture = await openPaymentFixture();
  proxy = await startRpcProxy(fixture.chain.rpcUrl);
  file = join(dirname(fixture.newLedgerFile()), 'truefill.sqlite');
  before = await fixture.usdcOf(fixture.payTo);
  const { paymentService, close } = await fixture.openPaymentService({ file });
  const payer = await fixture.newPayer(sold.units);
  for (const outcome of ['answered', 'answered', 'failed']) {
    const payload = await fixture.sign(paymentService, payer);
    const decision = assertServed(await paymentService.decide(attemptOf(payload)));
    if (outcome === 'answered') await decision.complete(answerTo('it'));
    else await decision.fail('UPSTREAM_UNAVAILABLE');
  }
  await close();
  await fixture.give(fixture.payTo, foreignUnits);
});
afterAll(async () => {
  await proxy?.close();
  await fixture?.close();
});

const live = () => ({
  DATA_DIR: dirname(file),
  RPC_URL_BASE: proxy.url,
  PUBLIC_URL: 'http://127.0.0.1:4020',
  PAY_TO_EVM: fixture.payTo,
  FACILITATOR_KEY_EVM: fixture.walletOf('facilitator').privateKey,
});

/** The report as JSON, in this process. */
async function reportJson(...args: string[]) {
  const { book, close } = await openBook({ file });
  const options = readReportOptions(['--json', '--to', tomorrow, ...args], Date.now());
  const { text, differences } = await report(book, options, live()).finally(close);
  return { ...JSON.parse(text), differences };
}

const compare = async () => {
  const { reconciliation, differences } = await reportJson('--from', yesterday, '--reconcile');
  return { ...reconciliation[0], differences };
};

/** The node returns an error for the log requests that `refuses` selects. */
function refuseLogs(refuses: (filter: { fromBlock: Hex; toBlock: Hex }) => boolean): void {
  const isRefused = ({ method, params }: ProxiedCall) =>
    method === 'eth_getLogs' && refuses(params[0] as { fromBlock: Hex; toBlock: Hex });
  proxy.fault = (all) => {
    const refused = new Set(all.filter(isRefused).map(({ id }) => id));
    if (refused.size === 0) return undefined;
    const error = { code: -32_600, message: 'Block range is too large.' };
    const refuse = ({ id, ...reply }: { id: unknown }) =>
      refused.has(id) ? { jsonrpc: '2.0', id, error } : { id, ...reply };
    const reply = (text: string) => {
      const replies = JSON.parse(text);
      return JSON.stringify(Array.isArray(replies) ? replies.map(refuse) : refuse(replies));
    };
    return { kind: 'rewrite', reply };
  };
}

test('the report has revenue, gas and margin of the day, and the gas is that of the receipts', async () => {
  const { rows } = await reportJson();
  const { book, close } = await openBook({ file });
  const hashes: Hex[] = [];
  for await (const { transaction } of book.entries()) hashes.push(transaction as Hex);
  await close();
  const receipts = await Promise.all(hashes.map((hash) => fixture.client.getTransactionReceipt({ hash })));
  const gasUsed = receipts.reduce((sum, receipt) => sum + receipt.gasUsed, 0n);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    ...{ product: 'quote', network, answered: 2, unserved: 1, refused: 0, freeCalls: 0 },
    ...{ revenueUsd: sold.usd, unknownAmounts: 0, gasUsed: Number(gasUsed), marginIsUpperBound: false },
  });
  expect(rows[0].gasUsd).toBeGreaterThan(0);
  expect(rows[0].marginUsd).toBeCloseTo(sold.usd - rows[0].gasUsd, 9);
});

test('the comparison finds a foreign transfer, and its sums are those of the token', async () => {
  const compared = await compare();
  const after = await fixture.usdcOf(fixture.payTo);
  expect(compared).toMatchObject({
    ...{ network, differences: 1, paymentsWithoutTransfer: [], unread: [] },
    ledger: { payments: 3, units: `${sold.units}` },
    chain: { units: `${after}` },
    balance: { before: '0', after: `${after}` },
    transfersWithoutPayment: expect.arrayContaining([expect.objectContaining({ units: `${foreignUnits}` })]),
  });
  expect(before).toBe(0n);
});

test('a node that returns three blocks at a time gives the same comparison', async () => {
  const whole = await compare();
  const asked: number[] = [];
  refuseLogs(({ fromBlock, toBlock }) => {
    asked.push(Number(BigInt(toBlock) - BigInt(fromBlock)) + 1);
    return (asked.at(-1) ?? 0) > 3;
  });
  expect(await compare()).toEqual(whole);
  expect(asked.filter((blocks) => blocks <= 3).length).toBeGreaterThan(1);
  proxy.fault = () => undefined;
});

test('a node that returns no logs: the comparison names the blocks, and no payment is called missing', async () => {
  refuseLogs(() => true);
  expect(await compare()).toMatchObject({
    ...{ differences: 0, paymentsWithoutTransfer: [], transfersWithoutPayment: [] },
    unread: [expect.stringMatching(/^No node returned the transfers of blocks \d+ to \d+\.$/)],
  });
  proxy.fault = () => ({ kind: 'drop' });
  expect(await compare()).toMatchObject({
    ...{ differences: 0, ledger: { payments: 3 } },
    unread: [expect.stringMatching(/^The chain could not be read: /)],
  });
  proxy.fault = () => undefined;
});

test('the command reads while the service runs, and names a deleted payment and one without a transfer', {
  timeout: 240_000,
}, async () => {
  const stores = await openStores({ file }, Date.now);
  const first = await stores.database.read
    .selectFrom('payments')
    .selectAll()
    .orderBy('created_at')
    .executeTakeFirstOrThrow();
  await stores.database.write(async (sql) => {
    for (const table of ['answers', 'settlement_transactions', 'payments'] as const)
      await sql.deleteFrom(table).where('payment_key', '=', first.payment_key).execute();
  });
  const invented = `0x${'ab'.repeat(32)}`;
  const terms = { amount: Number(price), asset: fixture.chain.usdc, payTo: fixture.payTo };
  await stores.ledger.claim(factsOf('invented', { payer: first.payer, terms }));
  await stores.ledger.settled('invented', settledResponse(network, invented, first.payer));

  const bundle = await bundleScript('server/ledgerCommand/main.ts');
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [bundle, 'report', '--from', yesterday, '--to', tomorrow, ...args], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...live() },
    }).then(
      ({ stdout }) => ({ code: 0, out: stdout }),
      ({ code, stdout, stderr }) => ({ code, out: stdout + stderr }),
    );
  const compared = await run('--reconcile');
  expect(compared.code).toBe(1);
  expect(compared.out).toContain('Differences between ledger and chain: 3\n');
  expect(compared.out).toMatch(/payment without a transfer: invented, 0\.02 USDC from 0x/);
  const transfers = parseEventLogs({
    abi: erc20Abi,
    eventName: 'Transfer',
    logs: await fixture.client.getLogs({ address: fixture.chain.usdc, fromBlock: 0n }),
  }).filter(({ args }) => args.to === fixture.payTo);
  const missing = transfers.filter(({ transactionHash }) => compared.out.includes(transactionHash));
  expect(missing.map(({ args }) => args.value).toSorted()).toEqual([foreignUnits, price].toSorted());
  expect(compared.out).toContain('transfer without a payment');

  const csv = await run('--csv');
  expect(csv.code).toBe(0);
  const [head, row] = csv.out.trim().split('\r\n');
  expect(head).toMatch(/^day,product,network,answered,.*,revenue_usd,.*,margin_usd$/);
  expect(row).toContain(`quote,${network},1,`);
  expect((await run()).out).toMatch(/Payments with gas that is not known: 1: no receipt with its fee was read\./);
  await stores.close();
  expect(await run('--since', '2026')).toMatchObject({
    code: 1,
    out: expect.stringContaining("Unknown option '--since'"),
  });
});
