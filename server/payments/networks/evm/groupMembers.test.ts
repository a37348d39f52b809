import { concat, encodeErrorResult, type Hex, numberToHex, pad, parseAbi, size } from 'viem';
import { expect, test } from 'vitest';
import { createScriptedChain, type ScriptedResult } from '../../../../tests/support/scriptedChain.ts';
import { ChainUnreachableError, JsonRpcError } from '../../chainCall.ts';
import { LedgerOrderError } from '../../ledger/ledgerOrderError.ts';
import { encodeGroup, groupBytes, groupGasLimit, resultBytes } from './groupCall.ts';
import { createGroupSettlement, type Member, type Sent } from './settleGroup.ts';

type GroupDependencies = Parameters<typeof createGroupSettlement>[0];

const asset = pad('0x1', { size: 20 });
const account = pad('0x2', { size: 20 });
const words = (...values: number[]): Hex => concat(values.map((value) => numberToHex(value, { size: 32 })));
const trialOf = (gas: number) => pad(words(1, gas, 0, 0), { size: resultBytes, dir: 'right' });
const plain = trialOf(60_000);
const contract = pad(words(1, 60_000, 23, 0), { size: resultBytes, dir: 'right' });
function revertOf(message: string): Hex {
  const data = encodeErrorResult({ abi: parseAbi(['error Error(string)']), errorName: 'Error', args: [message] });
  return pad(concat([words(0, 30_000, 0, size(data)), data]), { size: resultBytes, dir: 'right' });
}
const reverted = revertOf('ERC20: transfer amount exceeds balance');
const usedUp = revertOf('FiatTokenV2: authorization is used or canceled');

const together = { hash: pad('0x70') } as Sent;
const aloneOf = (index: number) => ({ hash: pad(numberToHex(index)) }) as Sent;
const unavailable = { kind: 'unavailable' };
const lack = { kind: 'refused', reason: 'insufficient_funds', detail: 'Too little.' };
const down = new ChainUnreachableError('down');
const fact = { network: 'eip155:8453', cause: 'down' };

interface Script {
  trials: Hex[];
  /** Replaces the result of the simulation. */
  eth_call?: ScriptedResult;
  check?: Error;
  cost?: object | Error;
  capped?: object;
  send?: Error;
  alone?: (index: number) => Sent | Promise<Sent>;
  funds?: (index: number) => Promise<object | undefined>;
}

/** Settles as many payments as there are trials, and records what is sent. */
function open({
  trials,
  eth_call = concat(trials),
  capped = { kind: 'fits', fees: { maxFeePerGas: 5n } },
  ...script
}: Script) {
  const alone: number[] = [];
  const groups: { call: object; keys: readonly string[] }[] = [];
  const events: unknown[] = [];
  const ended: unknown[] = [];
  const sizes: number[] = [];
  const checked: number[] = [];
  const lines: string[] = [];
  const facts: object[] = [];
  const members = trials.map((_, index) => {
    const from = pad(numberToHex(index + 10), { size: 20 });
    const payment = { from, to: account, value: 20_000n, validAfter: 0n, validBefore: 9n };
    const task = {
      key: `payment ${index}`,
      payment: { ...payment, nonce: pad(numberToHex(index)), signature: `0x${'11'.repeat(65)}` },
      terms: { amount: '20000' },
      async checkFunds() {
        checked.push(index);
        return script.funds?.(index);
      },
    };
    return { task, spending: { held: 0n, lost: new Map() } } as unknown as Member;
  });
  const throwing = <T>(value: T | Error): T => {
    if (value instanceof Error) throw value;
    return value;
  };
  const settle = createGroupSettlement({
    network: 'eip155:8453',
    node: { chainId: 8453, asset, account, chain: createScriptedChain({ eth_call }).chain },
    verifier: { check: async () => throwing(script.check) },
    costs: {
      async read(bytes: number) {
        sizes.push(bytes);
        return throwing(script.cost ?? { kind: 'read' });
      },
    },
    preparer: { limitCost: () => capped },
    follower: {
      async ended(transaction: unknown) {
        ended.push(transaction);
      },
    },
    sender: {
      readFees: async () => ({ maxFeePerGas: 7n, timestamp: BigInt(Math.floor(Date.now() / 1000)) }),
      async send(call: object, keys: readonly string[]) {
        groups.push({ call, keys });
        throwing(script.send);
        return together;
      },
    },
    sendAlone: async (member: Member) => {
      const index = members.indexOf(member);
      alone.push(index);
      return script.alone ? script.alone(index) : aloneOf(index);
    },
    logger: {
      warn(given: object, message: string) {
        facts.push(given);
        lines.push(message);
      },
    },
    onEvent: (event: unknown) => void events.push(event),
  } as unknown as GroupDependencies);
  return { settle: () => settle(members), members, alone, groups, events, ended, sizes, checked, lines, facts };
}
async function resultsOf(opened: ReturnType<typeof open>) {
  const { results, ended } = await opened.settle();
  await ended;
  return Promise.all(results);
}
const sentOf = (payments: number) => ({ kind: 'transaction sent', network: 'eip155:8453', payments });

test('sends the payments of a group in one transaction, with the capped fees', async () => {
  const opened = open({ trials: [trialOf(50_000), plain] });
  expect(await resultsOf(opened)).toEqual([together, together]);
  const data = encodeGroup(
    asset,
    opened.members.map(({ task }) => task.payment),
    90_000n,
  );
  const call = { data, gas: groupGasLimit(data, 2, 90_000n), fees: { maxFeePerGas: 5n } };
  expect(opened.groups).toEqual([{ call, keys: ['payment 0', 'payment 1'] }]);
  expect(opened.events).toEqual([sentOf(2)]);
  expect(opened.ended).toEqual([together]);
  expect(opened.sizes).toEqual([groupBytes(2), groupBytes(2)]);
  expect(opened.alone).toEqual([]);
});

test('sends a single payment by itself, without the simulation of a group, and reports it if it was sent', async () => {
  const opened = open({ trials: [plain], eth_call: down });
  expect(await resultsOf(opened)).toEqual([aloneOf(0)]);
  expect(opened.events).toEqual([sentOf(1)]);
  expect(opened.ended).toEqual([aloneOf(0)]);
  const unsent = open({ trials: [plain], alone: () => lack as Sent });
  expect(await resultsOf(unsent)).toEqual([lack]);
  expect([unsent.events, unsent.ended]).toEqual([[], []]);
});

test('settles a payment of a wallet with code by itself, and the only other one too', async () => {
  const opened = open({ trials: [contract, plain] });
  expect(await resultsOf(opened)).toEqual([aloneOf(0), aloneOf(1)]);
  expect(opened.groups).toEqual([]);
  expect(opened.events).toEqual([sentOf(1)]);
  expect(opened.checked).toEqual([1]);
});

test('a payment that the simulation rejects gets its refusal, and the others share a transaction', async () => {
  const opened = open({ trials: [plain, reverted, plain] });
  expect(await resultsOf(opened)).toEqual([
    together,
    expect.objectContaining({ kind: 'refused', reason: 'invalid_exact_evm_insufficient_balance' }),
    together,
  ]);
  expect(opened.groups.map(({ keys }) => keys)).toEqual([['payment 0', 'payment 2']]);
});

test('the gas of a payment that is left out does not raise the limit of the others', async () => {
  const costly = pad(words(1, 140_000, 23, 0), { size: resultBytes, dir: 'right' });
  const opened = open({ trials: [plain, costly, plain] });
  await resultsOf(opened);
  const payments = [opened.members[0], opened.members[2]].flatMap((member) => member?.task.payment ?? []);
  expect(opened.groups).toMatchObject([{ call: { data: encodeGroup(asset, payments, 90_000n) } }]);
});

test('the funds of a wallet explain a refusal, except that of a used authorization', async () => {
  const opened = open({ trials: [reverted, usedUp, plain], funds: async (index) => (index < 2 ? lack : undefined) });
  const [first, second] = await resultsOf(opened);
  expect(first).toEqual(lack);
  expect(second).toMatchObject({ reason: 'invalid_exact_evm_nonce_already_used' });
  expect(opened.checked).toEqual([0, 2]);
});

test('nothing is sent if every payment is left out', async () => {
  const opened = open({ trials: [reverted, usedUp] });
  expect((await resultsOf(opened)).map((sent) => 'kind' in sent && sent.kind)).toEqual(['refused', 'refused']);
  expect([opened.groups, opened.alone, opened.ended]).toEqual([[], [], []]);
});

test('a payment whose funds cannot be read is unavailable, and the others are sent', async () => {
  const funds = (index: number) => (index === 1 ? Promise.reject(down) : Promise.resolve(undefined));
  const opened = open({ trials: [plain, plain, plain], funds });
  expect(await resultsOf(opened)).toEqual([together, unavailable, together]);
  expect([opened.lines, opened.facts]).toEqual([['A payment could not be sent'], [fact]]);
});

test('error: a payment whose funds another replica reserves rejects, and the others are sent', async () => {
  const funds = (index: number) =>
    index === 1 ? Promise.reject(new LedgerOrderError('Elsewhere.')) : Promise.resolve(undefined);
  const { results } = await open({ trials: [plain, plain, plain], funds }).settle();
  expect(await Promise.allSettled(results)).toEqual([
    { status: 'fulfilled', value: together },
    { status: 'rejected', reason: expect.any(LedgerOrderError) },
    { status: 'fulfilled', value: together },
  ]);
});

test('a refused payment whose funds are read slowly does not delay the others', async () => {
  let answer = (_: object): void => undefined;
  const funds = (index: number) =>
    index === 0 ? new Promise<object>((resolve) => (answer = resolve)) : Promise.resolve(undefined);
  const opened = open({ trials: [reverted, plain, plain], funds });
  const { results } = await opened.settle();
  expect(await Promise.all(results.slice(1))).toEqual([together, together]);
  answer(lack);
  expect(await results[0]).toEqual(lack);
});

test('waits for the funds of the payments that may take part', async () => {
  let answer = (_: undefined): void => undefined;
  const funds = (index: number) =>
    index === 0 ? new Promise<undefined>((resolve) => (answer = resolve)) : Promise.resolve(undefined);
  const opened = open({ trials: [plain, plain], funds });
  const settling = opened.settle();
  await new Promise(setImmediate);
  expect(opened.groups).toEqual([]);
  answer(undefined);
  await settling;
  expect(opened.groups).toHaveLength(1);
});

const limited = { kind: 'unavailable', detail: 'Settlement gas would cost up to 1 USD.' };
test.each([
  ['its gas costs too much', { capped: limited }, limited],
  ['its gas has no price', { cost: { kind: 'unreadable' }, capped: limited }, limited],
  ['its gas has no price, which is not noticed', { cost: { kind: 'unreadable' } }, unavailable],
  ['the price of its gas cannot be read', { cost: down }, unavailable],
])('sends no group if %s', async (_name, script, expected) => {
  const opened = open({ trials: [plain, plain], ...script });
  expect(await resultsOf(opened)).toEqual([expected, expected]);
  expect([opened.groups, opened.events, opened.ended]).toEqual([[], [], []]);
});

test('a group is unavailable if the node fails before its transaction is signed', async () => {
  const opened = open({ trials: [plain, plain, reverted], send: down });
  expect((await resultsOf(opened)).slice(0, 2)).toEqual([unavailable, unavailable]);
  expect([opened.lines, opened.facts]).toEqual([['A group of payments could not be sent'], [fact]]);
  expect([opened.events, opened.alone]).toEqual([[], []]);
});

test('settles each payment by itself if another replica owns one of the group', async () => {
  const opened = open({ trials: [plain, plain, reverted], send: new LedgerOrderError('Elsewhere.') });
  const results = await resultsOf(opened);
  expect(results.slice(0, 2)).toEqual([aloneOf(0), aloneOf(1)]);
  expect(results[2]).toMatchObject({ kind: 'refused' });
  expect(opened.alone).toEqual([0, 1]);
});

test('error: an unexpected failure of the group rejects its payments only', async () => {
  const opened = open({ trials: [plain, reverted, plain], send: new TypeError('a bug') });
  const { results } = await opened.settle();
  expect((await Promise.allSettled(results)).map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
    'rejected',
  ]);
});

test.each([
  ['returns results of another form', { eth_call: '0x' }, []],
  [
    'rejects calls for groups',
    { eth_call: new JsonRpcError(-32000, 'out of gas', undefined) },
    ['A group of payments could not be simulated'],
  ],
])('settles each payment by itself if the node %s', async (_name, script, lines) => {
  const opened = open({
    trials: [plain, plain],
    alone: (index) => (index === 0 ? Promise.reject(down) : aloneOf(1)),
    ...script,
  });
  const { results } = await opened.settle();
  expect(await Promise.allSettled(results)).toMatchObject([
    { status: 'rejected' },
    { status: 'fulfilled', value: aloneOf(1) },
  ]);
  expect([opened.lines, opened.groups, opened.events]).toEqual([lines, [], []]);
});

test.each([
  ['the simulation', { eth_call: down }],
  ['the network', { check: down }],
])('all payments are unavailable if %s cannot be read', async (_name, script) => {
  const opened = open({ trials: [plain, plain], ...script });
  expect(await resultsOf(opened)).toEqual([unavailable, unavailable]);
  expect([opened.alone, opened.groups]).toEqual([[], []]);
  expect(opened.facts).toEqual([fact]);
});

test('error: a fault of our own before the simulation', async () => {
  await expect(open({ trials: [plain, plain], check: new TypeError('a bug') }).settle()).rejects.toThrow('a bug');
});
