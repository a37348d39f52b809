import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleScript } from '../support/bundleScript.ts';
import { cleanUpProcesses, killAt } from './killAt.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';

let fixture: PaymentFixture;
cleanUpProcesses();
beforeAll(async () => {
  fixture = await openPaymentFixture();
});
afterAll(() => fixture?.close());

const root = join(import.meta.dirname, '..', '..');

const bundle = await bundleScript('server/ledgerCommand/main.ts');

/** Runs `npm run ledger -- …` in a separate process. */
async function run(args: readonly string[], env: Record<string, string>): Promise<{ code: number; out: string }> {
  const options = { cwd: root, env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [bundle, ...args], options);
    return { code: 0, out: stdout };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, out: stderr };
  }
}

// Each command starts a process.
const timeout = 240_000;

test('default: `show`, `credits` and `export` read while the service runs; `reconcile` settles after the service was killed', {
  timeout,
}, async () => {
  const dataDir = dirname(fixture.newLedgerFile());
  const location = { file: join(dataDir, 'truefill.sqlite') };
  const env = { DATA_DIR: dataDir };
  const payer = await fixture.newPayer(3n * price);
  const { paymentService, close } = await fixture.openPaymentService(location);
  const [done, failed] = [await fixture.sign(paymentService, payer), await fixture.sign(paymentService, payer)];
  for (const payload of [done, failed]) {
    const decision = await paymentService.decide(attemptOf(payload));
    if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
    if (payload === done) await decision.complete(answerTo('it'));
    else await decision.fail('UPSTREAM_UNAVAILABLE');
  }
  const open = await fixture.sign(paymentService, payer);
  expect((await run(['show'], env)).out).toMatch(/eip155:8453 {2}answered {2}1\neip155:8453 {2}settled {2}1/);
  expect((await run(['credits'], env)).out).toMatch(/settled, quote by 0x\w{40}.*\n.*\n.*1 failed answers/);
  expect((await run(['show', payer.address], env)).out.match(/quote by/g)).toHaveLength(2);
  const { out } = await run(['export'], env);
  const exported = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(exported.map(({ state }) => state)).toEqual(['answered', 'settled']);
  expect(out).not.toMatch(/signature|0x[0-9a-f]{130}/i);
  await close();

  const { networks, offers } = fixture.paymentConfig({} as never, fixture.chain.rpcUrl);
  await killAt({ location, networks, offers, attempt: attemptOf(open), stopAt: 'journaled' });
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  const live = {
    ...env,
    RPC_URL_BASE: fixture.chain.rpcUrl,
    PUBLIC_URL: 'http://127.0.0.1:4020',
    PAY_TO_EVM: fixture.payTo,
    FACILITATOR_KEY_EVM: fixture.walletOf('facilitator').privateKey,
  };
  expect((await run(['reconcile'], live)).out).toMatch(
    /^Unfinished payments: 1 before, 0 now\.\n.*\n {2}settled, quote/,
  );
  expect(await fixture.usdcOf(payer.address)).toBe(0n);
});

test('`backup` beside the running service: the restored ledger serves a used payment without a second charge', {
  timeout,
}, async () => {
  const dataDir = join(dirname(fixture.newLedgerFile()), 'running');
  const payer = await fixture.newPayer(2n * price);
  const running = await fixture.openPaymentService({ file: join(dataDir, 'truefill.sqlite') });
  const payload = await fixture.sign(running.paymentService, payer);
  const first = await running.paymentService.decide(attemptOf(payload));
  if (first.kind !== 'serve') throw new Error(JSON.stringify(first));
  await first.complete(answerTo('it'));
  const restoredDir = join(dirname(fixture.newLedgerFile()), 'restored');
  await mkdir(restoredDir);
  const copy = join(restoredDir, 'truefill.sqlite');
  expect(await run(['backup', copy], { DATA_DIR: dataDir })).toMatchObject({ code: 0 });
  await running.close();

  expect((await run(['show'], { DATA_DIR: restoredDir })).out).toMatch(/^eip155:8453 {2}answered {2}1\n/);
  const restored = await fixture.openPaymentService({ file: copy });
  expect(await restored.paymentService.decide(attemptOf(payload))).toMatchObject({ kind: 'replay' });
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await restored.close();
  const postgres = await run(['backup', join(restoredDir, 'b')], { DATABASE_URL: 'postgres://u:canary@127.0.0.1:1/x' });
  expect(postgres).toMatchObject({ code: 1, out: expect.stringContaining('pg_dump') });
  expect((await run(['backup', copy], { DATA_DIR: restoredDir })).out).toContain('the file exists already');
});

test('error: reports an unknown command, an unreachable database and a missing folder without a stack trace', {
  timeout,
}, async () => {
  expect(await run([], {})).toMatchObject({ code: 2, out: expect.stringContaining('npm run ledger') });
  const offline = await run(['credits'], { DATABASE_URL: 'postgres://me:s3cret@127.0.0.1:1/x' });
  expect(offline.code).toBe(1);
  expect(offline.out).not.toMatch(/s3cret|at .*\.ts/);
  const none = await run(['show'], { DATA_DIR: join(root, 'no-such-folder') });
  expect(none).toMatchObject({ code: 1 });
  expect(none.out).not.toMatch(/at .*\.ts/);
});

test.each([
  ['an invalid database URL', ['show'], 1, /DATABASE_URL must be a PostgreSQL URL/],
  ['a command named like a property of every object', ['toString'], 2, /npm run ledger/],
])(
  'error: reports %s without a stack trace',
  async (_case, args, code, message) => {
    const answer = await run(args, { DATABASE_URL: 'postgres://u:canary-password@127.0.0.1:99999/x' });
    expect(answer.code).toBe(code);
    expect(answer.out).toMatch(message);
    expect(answer.out).not.toMatch(/canary|^\s+at /m);
  },
  timeout,
);
