import type { Hex } from 'viem';
import { expect, test } from 'vitest';
import { proxySlots } from './proxies.ts';
import { traceCode } from './traceCode.ts';
import { walkCode } from './walkCode.ts';

const transfer: Hex = '0xa9059cbb';
const functions = [{ selector: transfer, args: 'address,uint256', writes: true }];
const trace = (code: string, behind: string[] = []) =>
  traceCode(
    [code, ...behind].map((part, index) => ({
      code: `0x${part}` as Hex,
      // A proxy has no transfer() of its own.
      functions: behind.length > 0 && index === 0 ? [] : functions,
    })),
  );

/** Jumps to `body` for transfer(). The rest of the code is the fallback. */
const dispatch = (body: string, fallback: string) => {
  const head = `5f3560e01c63a9059cbb14${'61'}`;
  const at = (head.length + 4 + 2) / 2 + fallback.length / 2;
  return `${head}${at.toString(16).padStart(4, '0')}57${fallback}5b${body}`;
};
const stop = '00';
const revert = '5f5ffd';
/** Writes the first argument to storage. */
const writeArgument = `6004355f55${stop}`;
/** Writes the caller to storage, as the fallback of WETH does. */
const writeCaller = `335f55${stop}`;

test('default: code whose fallback reverts hides nothing and calls no contract', () => {
  expect(trace(dispatch(stop, revert))).toEqual({
    hidesFunctions: false,
    calledContracts: [],
    readsBlockNumber: false,
  });
});

test.each([
  ['writes an argument', writeArgument],
  [
    'compares a changed selector and writes an argument',
    `5f3560e01c631234567818638765432114601757${revert}5b${writeArgument}`,
  ],
  [
    'compares the difference to a known selector and writes an argument',
    `5f3560e01c63${transfer.slice(2)}18638765432114601757${revert}5b${writeArgument}`,
  ],
  [
    'writes an argument for the selector of an upgrade function',
    `5f3560e01c633659cfe614601157${revert}5b${writeArgument}`,
  ],
  ['calls another contract with its arguments', `365f5f37${'5f5f365f5f'}73${'11'.repeat(20)}5af1${stop}`],
  ['writes the answer of another contract', `5f5f5f5f73${'11'.repeat(20)}5afa5f5155${stop}`],
  ['delegates without arguments', `5f5f5f5f73${'11'.repeat(20)}5af4${stop}`],
  ['delegates its arguments', `365f5f37${'5f5f365f'}73${'11'.repeat(20)}5af4${stop}`],
  ['jumps to a computed destination', `5f3560e01c600f1656`],
])('hides functions if the fallback %s', (_, fallback) => {
  const code = dispatch(stop, fallback);
  // Jump destinations in a fallback are relative to its start.
  const start = code.indexOf(fallback) / 2;
  const moved = code.replace(
    /60(17|11)57/,
    (_jump, at) => `60${(start + Number(`0x${at}`)).toString(16).padStart(2, '0')}57`,
  );
  expect(trace(moved).hidesFunctions).toBe(true);
});

test('hides nothing if the fallback writes without arguments', () => {
  expect(trace(dispatch(stop, writeCaller)).hidesFunctions).toBe(false);
});

test('hides nothing if a proxy delegates to code that is analysed too, and returns its slot', () => {
  const proxy = `365f5f375f5f365f5f545af4${stop}`;
  expect(trace(proxy, [dispatch(stop, revert)])).toEqual({
    hidesFunctions: false,
    calledContracts: [{ slot: `0x${'0'.repeat(64)}`, bits: 0 }],
    readsBlockNumber: false,
  });
  expect(trace(proxy).hidesFunctions).toBe(true);
});

test.each([
  ['its answer', '5f51', []],
  ['a constant contract', `73${'11'.repeat(20)}`, [`0x${'11'.repeat(20)}`]],
])('a proxy that calls its beacon delegates to %s', (_, target, calledContracts) => {
  const callBeacon = `60205f60045f7f${proxySlots.beacon.slice(2)}545afa50`;
  const proxy = `${callBeacon}365f5f375f5f365f${target}5af4${stop}`;
  expect(trace(proxy, [dispatch(stop, revert)]).calledContracts).toEqual(calledContracts);
});

/** STATICCALL of the address on the stack, with 4 bytes of data. */
const callTo = (target: string) => `5f5f60045f${target}5afa${stop}`;

test.each([
  ['a constant', `73${'11'.repeat(20)}`, [`0x${'11'.repeat(20)}`]],
  ['a storage slot', '600754', [{ slot: `0x${'7'.padStart(64, '0')}`, bits: 0 }]],
  ['a part of a slot', `60075460081c73${'ff'.repeat(20)}16`, [{ slot: `0x${'7'.padStart(64, '0')}`, bits: 8 }]],
  ['the receiver', '600435', []],
  ['a precompiled contract', '6001', []],
])('returns the contract that transfers call: %s', (_, target, calledContracts) => {
  expect(trace(dispatch(callTo(target), revert))).toMatchObject({ hidesFunctions: false, calledContracts });
});

test('the contracts are unknown if transfers read one from a mapping', () => {
  expect(trace(dispatch(callTo('335f5260205f2054'), revert)).calledContracts).toBeUndefined();
});

test('the contracts are unknown if a transfer has too many paths to follow', () => {
  // Each round leaves one more word on the stack, so that no two rounds are equal.
  const code = dispatch('', revert);
  const at = (code.length - 2) / 2;
  expect(trace(`${code}5a61${at.toString(16).padStart(4, '0')}565b`).calledContracts).toBeUndefined();
});

test('walks share a budget: after one that used it up, the next is incomplete', () => {
  const query = { known: new Set<bigint>(), budget: { left: 3 } };
  expect(walkCode('0x5f5f00', query).isComplete).toBe(true);
  expect(query.budget.left).toBe(0);
  expect(walkCode('0x5f5f00', query).isComplete).toBe(false);
});

test('states whether a transfer reads the block number, not whether the fallback does', () => {
  expect(trace(dispatch(`43${stop}`, revert)).readsBlockNumber).toBe(true);
  expect(trace(dispatch(stop, `43${stop}`)).readsBlockNumber).toBe(false);
});

test('a payment without data is not listed as a called contract', () => {
  expect(trace(dispatch(`5f5f5f5f4773${'11'.repeat(20)}5af1${stop}`, revert)).calledContracts).toEqual([]);
});

test('a call without data and without value is listed as a called contract', () => {
  const contract = '11'.repeat(20);
  expect(trace(dispatch(`5f5f5f5f5f73${contract}5af1${stop}`, revert)).calledContracts).toEqual([`0x${contract}`]);
});

/** Code that repeats `body` after `start`, as much as a contract can contain. */
const repeated = (start: string, body: string): Hex =>
  `0x${start}${body.repeat(Math.floor((24_000 - start.length / 2) / (body.length / 2)))}`;

test('powers of large constants are unknown, because each would take milliseconds', () => {
  // PUSH1 exponent, PUSH base, EXP, JUMP: a jump to an unknown destination leaves the walk incomplete.
  const jumpToPower = (base: string) =>
    walkCode(`0x6002${base}0a56`, { known: new Set(), budget: { left: 100 } }).isComplete;
  expect(jumpToPower('610101')).toBe(false);
  expect(jumpToPower('610100')).toBe(true);
});

test('a path ends at the 1,025th word on its stack, as a call does', () => {
  const query = { known: new Set<bigint>(), budget: { left: 120_000 } };
  walkCode(repeated('', '5f'), query);
  expect(120_000 - query.budget.left).toBe(1_026);
});

test('the copies of a stack at branches count as work', () => {
  const query = { known: new Set<bigint>(), budget: { left: 120_000 } };
  // 800 words, then GAS and a destination, both duplicated for each branch.
  const walk = walkCode(repeated(`${'5f'.repeat(800)}5a610328`, '818157'), query);
  expect(walk.isComplete).toBe(false);
});

test('a constant that is shifted by the selector is not the selector', () => {
  // SHR(selector, 224) is 0, so the jump is always taken.
  const shifted = `60e05f357fffffffff${'0'.repeat(56)}161c63${'0'.repeat(8)}14603357${revert}5b${writeArgument}`;
  const known = [{ selector: '0x00000000' as const, args: '', writes: true }];
  expect(traceCode([{ code: `0x${shifted}`, functions: known }]).hidesFunctions).toBe(true);
});
