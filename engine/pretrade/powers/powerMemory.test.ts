import { type Hex, toHex } from 'viem';
import { expect, test } from 'vitest';
import type { Batch } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import { RpcTransportError } from '../../errors.ts';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import type { CodeFacts } from '../bytecode/codeMemory.ts';
import type { ExitReading } from '../exit/exitTypes.ts';
import type { FactStore, PowerScan } from '../pretradePorts.ts';
import type { TradePlan } from '../simulation/simulationTypes.ts';
import { createPowerMemory, effectsOfOtherToken, type PowerFinding, powersOf, scanGap } from './powerMemory.ts';
import type { RoleHolders } from './roleHolders.ts';
import { tryCreators } from './tryCreators.ts';

const zero = '0x0000000000000000000000000000000000000000';
const unreadWord = { ok: false, word: 0n };
const roles: RoleHolders = { status: 'read', addresses: [], owners: [], truncated: false };

/** The input of a power scan of a token without an owner. */
const subjectOf = (analysedHash: Hex) => {
  const code: CodeFacts = {
    codeHash: analysedHash,
    analysedHash,
    proxy: { status: 'none' },
    functions: [],
    constants: [],
    areConstantsTruncated: false,
    ...{ hidesFunctions: false, calledContracts: [], readsBlockNumber: false },
  };
  const holders = { owner: unreadWord, getOwner: unreadWord, totalSupply: 1_000n };
  const exit = { ...holders, answersEverything: false, exits: [], bases: [] } as unknown as ExitReading;
  const plan = { spend: 100n, worth: 100n } as TradePlan;
  const block = { block: '0x1', number: 1n, timestamp: 1n, baseFee: 1n } as const;
  const base = { ...block, coinbase: undefined, prevRandao: undefined };
  return {
    token: zero,
    code,
    exit,
    accounts: [],
    roles,
    plan,
    tradable: undefined,
    base,
    ...({ wrapped: zero, waits: 'never' } as const),
  } as const;
};

const scanOf = (part: Partial<PowerScan>): PowerScan => ({
  ...{
    scannedAt: 0,
    blockNumber: 1,
    functionsTried: 1,
    callsTried: 1,
    functionsRefused: [],
    truncated: false,
    controlTraded: true,
    powers: [],
  },
  ...part,
});

/** A memory that contains one scan of one code. */
async function memoryWith(scan: PowerScan, { tradable = true, facts }: { tradable?: boolean; facts?: FactStore } = {}) {
  const clock = { now: 0 };
  const memory = createPowerMemory(facts, { now: () => clock.now, deadlineMs: 1_000 });
  const subject = subjectOf('0x01');
  await memory.conclude(await memory.recall(subject), async () => scan, tradable);
  return { clock, memory, subject };
}

test('default: keeps a complete scan of a token', async () => {
  const { clock, memory, subject } = await memoryWith(scanOf({}));
  clock.now = 1e9;
  expect(await memory.recall(subject)).toEqual({ status: 'cached', scan: scanOf({}) });
});

test('behavior: keeps an incomplete scan without findings for a limited time', async () => {
  const { clock, memory, subject } = await memoryWith(scanOf({ truncated: true }));
  clock.now = 599_999;
  expect(await memory.recall(subject)).toMatchObject({ status: 'cached' });
  clock.now = 600_000;
  expect(await memory.recall(subject)).toMatchObject({ status: 'scan-needed' });
});

test('behavior: keeps an incomplete scan that found a power', async () => {
  const power = {
    selector: '0x40c10f19',
    args: 'address,uint256',
    name: 'mint',
    effect: 'mint',
    caller: 'owner',
  } as const;
  const { clock, memory, subject } = await memoryWith(scanOf({ truncated: true, powers: [power] }));
  clock.now = 1e9;
  expect(await memory.recall(subject)).toMatchObject({ status: 'cached', scan: { powers: [power] } });
});

const other = '0x00000000000000000000000000000000000000ff';
const mint = {
  selector: '0x40c10f19',
  args: 'address,uint256',
  name: 'mint',
  effect: 'mint',
  caller: 'owner',
} as const;

const burn = { ...mint, selector: '0x9dc29fac', effect: 'seize' } as const;

test('behavior: a scan without findings is not reused for another token with the same code', async () => {
  const { store } = scanStore();
  const { memory, subject } = await memoryWith(scanOf({}), { facts: store });
  expect(await memory.recall({ ...subject, token: other })).toMatchObject({ status: 'scan-needed' });
});

test('behavior: reports the powers of another token with the same code if a token cannot be scanned', async () => {
  const { store } = scanStore();
  const { memory, subject } = await memoryWith(scanOf({ powers: [mint] }), { facts: store });
  const poolless = await memory.recall({ ...subject, token: other, plan: undefined });
  expect(powersOf(await memory.conclude(poolless, undefined, undefined))).toMatchObject([
    { ...mint, isOfOtherToken: true },
  ]);
  const recall = await memory.recall({ ...subject, token: other });
  expect(recall).toMatchObject({ status: 'scan-needed' });
  const blind = await memory.conclude(recall, async () => scanOf({ controlTraded: false, powers: [burn] }), false);
  // The token's own powers are kept, beside those of the other token.
  expect(powersOf(blind)).toMatchObject([
    { ...burn, isOfOtherToken: false },
    { ...mint, isOfOtherToken: true },
  ]);
  expect(scanGap(blind)).not.toBeNull();
  const empty = await memory.conclude(recall, async () => scanOf({ callsTried: 0 }), true);
  expect(powersOf(empty)).toMatchObject([{ ...mint, isOfOtherToken: true }]);
  const harmless = await memory.conclude(recall, async () => scanOf({}), true);
  expect(powersOf(harmless)).toEqual([]);
});

test('behavior: keeps the powers of another token when a vendor returns a creator afterwards', async () => {
  const { memory, subject } = await memoryWith(scanOf({}));
  const withCreator = { ...subject, creators: [other] } as const;
  const own = scanOf({ truncated: true, powers: [burn] });
  await memory.conclude(await memory.recall(withCreator), async () => own, true);
  const first = {
    status: 'scanned',
    scan: scanOf({ truncated: true }),
    otherScan: scanOf({ powers: [mint] }),
  } as const;
  const complete = await tryCreators(memory, withCreator, first, {} as Batch);
  expect(powersOf((await complete?.({} as Node)) as PowerFinding)).toMatchObject([
    { ...burn, isOfOtherToken: false },
    { ...mint, isOfOtherToken: true },
  ]);
});

test('default: an effect that the token itself showed is not attributed to another token', () => {
  const otherMint = { ...mint, selector: '0xa0712d68' } as const;
  const scan = scanOf({ truncated: true, powers: [mint] });
  const finding = { status: 'scanned', scan, otherScan: scanOf({ powers: [mint, otherMint, burn] }) } as const;
  expect([...effectsOfOtherToken(powersOf(finding))]).toEqual(['seize']);
});

/** A fact store that keeps only scans. */
function scanStore() {
  const saved = new Map<string, PowerScan>();
  const store = {
    loadPowers: async (key: string) => saved.get(key),
    savePowers: async (key: string, scan: PowerScan) => void saved.set(key, scan),
    loadCreator: async () => undefined,
    loadFirstTransfer: async () => undefined,
  } as Partial<FactStore> as FactStore;
  return { saved, store };
}

test('behavior: a scan without a working control trade is valid while tradability is unchanged, and is not stored', async () => {
  const { saved, store } = scanStore();
  const scan = scanOf({ controlTraded: false });
  const { clock, memory, subject } = await memoryWith(scan, { tradable: false, facts: store });
  const statusIf = async (tradable: boolean | undefined) => (await memory.recall({ ...subject, tradable })).status;
  expect([await statusIf(false), await statusIf(true), await statusIf(undefined)]).toEqual([
    'cached',
    'scan-needed',
    'scan-needed',
  ]);
  clock.now = 600_000;
  expect(await statusIf(false)).toBe('scan-needed');
  expect(saved.size).toBe(0);
});

test('behavior: stores a complete scan, but not a scan without an account to try', async () => {
  const { saved, store } = scanStore();
  const { memory, subject } = await memoryWith(scanOf({ callsTried: 0 }), { facts: store });
  expect(saved.size).toBe(0);
  const again = await memory.recall(subject);
  expect(again.status).toBe('scan-needed');
  await memory.conclude(again, async () => scanOf({}), true);
  expect(saved.size).toBe(1);
});

test('behavior: evicts the least recently used scan beyond the limit', async () => {
  const { memory, subject } = await memoryWith(scanOf({}));
  for (let index = 2; index <= 5_001; index += 1) {
    const recall = await memory.recall(subjectOf(toHex(index)));
    await memory.conclude(recall, async () => scanOf({}), true);
  }
  expect(await memory.recall(subject)).toMatchObject({ status: 'scan-needed' });
});

test('keeps scans of owned, renounced and ownerless tokens of one code apart', async () => {
  const { memory, subject } = await memoryWith(scanOf({}));
  const ownedBy = (owner: Hex) => {
    const exit = { ...subject.exit, owner: { ok: true, word: BigInt(owner) } } as ExitReading;
    return { ...subject, exit };
  };
  const [owned, renounced] = [ownedBy(`0x${'11'.repeat(20)}`), ownedBy(zero)];
  expect((await memory.recall(subject)).status).toBe('cached');
  expect((await memory.recall(renounced)).status).toBe('scan-needed');
  expect((await memory.recall(owned)).status).toBe('scan-needed');
  await memory.conclude(await memory.recall(renounced), async () => scanOf({}), true);
  expect((await memory.recall(renounced)).status).toBe('cached');
  expect((await memory.recall(owned)).status).toBe('scan-needed');
});

test('reports a scan as incomplete if the logs with former owners were not read', async () => {
  const { memory } = await memoryWith(scanOf({}), { facts: scanStore().store });
  const recall = await memory.recall({ ...subjectOf('0x02'), roles: { status: 'unread' } });
  expect(recall.status === 'scan-needed' && recall.query.areCallersMissing).toBe(true);
});

const numbered = (count: number) =>
  Array.from({ length: count }, (_, n) => toLowerAddress(`0x${'a1'.repeat(19)}${toHex(n + 1, { size: 1 }).slice(2)}`));

test.each([
  ['accounts in storage', 5, (accounts: LowerAddress[]) => ({ accounts })],
  ['accounts in the code', 8, (constants: LowerAddress[]) => ({ code: { ...subjectOf('0x02').code, constants } })],
])('reports a scan as incomplete if it leaves out %s', async (_, most, toPart) => {
  const { memory, subject } = await memoryWith(scanOf({}), { facts: scanStore().store });
  const queryOf = async (count: number) => {
    const recall = await memory.recall({ ...subject, token: other, ...toPart(numbered(count)) });
    return recall.status === 'scan-needed' ? recall.query : undefined;
  };
  expect(await queryOf(most)).toMatchObject({ areCallersMissing: false });
  const truncated = await queryOf(most + 1);
  expect(truncated).toMatchObject({ areCallersMissing: true });
  expect(truncated?.callers.length).toBe(most);
});

test('tries every known account of each kind', async () => {
  const { memory, subject } = await memoryWith(scanOf({}), { facts: scanStore().store });
  const [owner, ...rest] = numbered(20) as [LowerAddress, ...LowerAddress[]];
  const recall = await memory.recall({
    ...subject,
    token: other,
    exit: { ...subject.exit, owner: { ok: true, word: BigInt(owner) } } as ExitReading,
    code: { ...subject.code, constants: rest.slice(0, 3) },
    roles: { ...roles, addresses: rest.slice(3, 11), owners: rest.slice(11, 14) },
    accounts: rest.slice(14, 19),
    creators: [other],
  });
  expect(recall).toMatchObject({ status: 'scan-needed', query: { areCallersMissing: false } });
  expect(recall.status === 'scan-needed' && recall.query.callers.length).toBe(21);
});

test('reports a scan as incomplete if constants of the code were left out, or its storage was not read', async () => {
  const { memory, subject } = await memoryWith(scanOf({}), { facts: scanStore().store });
  const ofCut = await memory.recall({
    ...subject,
    token: other,
    code: { ...subject.code, areConstantsTruncated: true },
  });
  expect(ofCut).toMatchObject({ query: { areCallersMissing: true } });
  const ofUnread = await memory.recall({ ...subject, token: other, accounts: undefined });
  expect(ofUnread).toMatchObject({ query: { areCallersMissing: true } });
});

test('reports a scan as incomplete if it leaves out a former owner', async () => {
  const { memory, subject } = await memoryWith(scanOf({}), { facts: scanStore().store });
  const owners = ['a1', 'a2', 'a3', 'a4'].map((low) => toLowerAddress(`0x${low.padStart(40, '0')}`));
  const queryOf = async (formerOwners: LowerAddress[]) => {
    const recall = await memory.recall({ ...subject, roles: { ...roles, owners: formerOwners } });
    return recall.status === 'scan-needed' ? recall.query : undefined;
  };
  expect(await queryOf(owners.slice(0, 3))).toMatchObject({ areCallersMissing: false });
  const cut = await queryOf(owners);
  expect(cut).toMatchObject({ areCallersMissing: true });
  expect(cut?.callers.map(({ address }) => address)).toEqual(owners.slice(0, 3));
});

test('retries a scan 30 s after the node did not respond', async () => {
  const clock = { now: 0 };
  const memory = createPowerMemory(undefined, { now: () => clock.now, deadlineMs: 1_000 });
  const subject = subjectOf('0x01');
  const failed = async () => {
    throw new RpcTransportError('timed out');
  };
  const reason = 'the node did not respond';
  expect(await memory.conclude(await memory.recall(subject), failed, true)).toEqual({ status: 'not-scanned', reason });
  clock.now = 29_999;
  expect(await memory.recall(subject)).toEqual({ status: 'unavailable', reason });
  clock.now = 30_000;
  expect(await memory.recall(subject)).toMatchObject({ status: 'scan-needed' });
});
