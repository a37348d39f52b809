import { type Address, concat, decodeFunctionData, type Hex, numberToHex } from 'viem';
import { planLensArtifact } from '../../../contracts/artifacts/lens/PlanLens.ts';
import { unpackCall } from '../../../engine/chain/packedWords.ts';
import type { RpcCall, RpcReply } from '../../../engine/chain/rpcEndpoint.ts';
import { type LowerAddress, toLowerAddress } from '../../../engine/lowerAddress.ts';
import type { Plan } from '../../../engine/quote/search/planTypes.ts';
import type { CandidatePool, FamilyName } from '../../../engine/venues/candidatePool.ts';
import { kinds, noHooks } from '../../../engine/venues/kinds.ts';
import type { PoolRef } from '../../../engine/venues/poolTypes.ts';
import { testNode } from './testNode.ts';

// A node for tests of executions: it decodes each probe with the ABI of the compiled lens, and answers in its layout.

export const addressOf = (digit: string): LowerAddress => toLowerAddress(`0x${digit.repeat(40)}`);
export const [tokenA, tokenB, tokenC] = ['a', 'b', 'c'].map(addressOf) as [LowerAddress, LowerAddress, LowerAddress];

/** A pool of two tokens. */
export function poolOf(
  id: Hex,
  tokens: readonly [LowerAddress, LowerAddress] = [tokenA, tokenB],
  more: Partial<CandidatePool> & { family?: FamilyName } = {},
): PoolRef {
  const [token0, token1] = tokens[0] < tokens[1] ? tokens : [tokens[1], tokens[0]];
  const common = { family: 'uniswap-v3', venue: 'uniswap-v3', kind: kinds.v3, fee: 500, tickSpacing: 0 } as const;
  return { candidatePool: { ...common, factory: addressOf('f'), hooks: noHooks, ...more }, id, token0, token1 };
}

/** A single route over these pools, from `tokenIn`. */
export function routeOver(pools: readonly PoolRef[], amountIn: bigint, tokenIn = tokenA): Plan {
  let token = tokenIn;
  const legs = pools.map((pool) => {
    const sold = token;
    token = pool.token0 === sold ? pool.token1 : pool.token0;
    return { pool, tokenIn: sold, tokenOut: token, shareBps: 10_000 };
  });
  return { tokenIn, tokenOut: token, amountIn, legs };
}

interface ProbeOrder {
  amountIn: bigint;
  payer: Address;
  secondPayer: Address;
  gasCap: bigint;
  legs: readonly { kind: bigint; pool: Address; shareBps: bigint; tokenIn: Address; tokenOut: Address }[];
}
export interface Probe {
  to: Address;
  /** The request contained the lens's code. */
  isPlaced: boolean;
  /** `tokenIn`'s storage in the state override. */
  slots: number;
  orders: ProbeOrder[];
}

/** How a run of an order ends: its status and output. By default it fills, one for one. */
export type RunOf = (order: ProbeOrder, probe: Probe, isSecond: boolean) => { status: number; received?: bigint };

export const wordsOf = (...values: readonly bigint[]): Hex =>
  concat(values.map((value) => numberToHex(value, { size: 32 })));
export const zeroAccount: Address = `0x${'0'.repeat(40)}`;

/** Decodes the call of a probe. */
export function decodeProbe({ params }: RpcCall): Probe {
  const [{ to: called, data }, , override] = params as [
    { to: Address; data: Hex },
    Hex,
    Record<Address, { code?: Hex; stateDiff?: object }>,
  ];
  // `packedThrough` places a contract that contains the address of the executor and calls it.
  const through = override[called]?.code?.match(/5f5f825f5f73([0-9a-f]{40})5af1/)?.[1];
  const to: Address = through ? `0x${through}` : called;
  const { functionName, args } = decodeFunctionData({ abi: planLensArtifact.abi, data: unpackCall(data) });
  if (functionName !== 'probe') throw new TypeError(`The call is ${functionName}.`);
  const [, orders, legs] = args;
  let at = 0;
  const read = orders.map(({ legs: count, ...order }): ProbeOrder => {
    at += Number(count);
    return { ...order, legs: legs.slice(at - Number(count), at) };
  });
  const slots = Object.keys(override[tokenA]?.stateDiff ?? {}).length;
  return {
    to,
    isPlaced: override[toLowerAddress(to)]?.code !== undefined || override[to]?.code !== undefined,
    slots,
    orders: read,
  };
}

function runWords(order: ProbeOrder, { status, received = order.amountIn }: ReturnType<RunOf>): Hex {
  const isFilled = status === 1;
  const count = BigInt(order.legs.length);
  const moved = order.legs.map((_, index) => {
    const isLast = index === order.legs.length - 1;
    return isFilled
      ? wordsOf(order.amountIn, order.amountIn, ...(isLast ? [received, received] : [order.amountIn, order.amountIn]))
      : wordsOf(0n, 0n, 0n, 0n);
  });
  const head = wordsOf(
    BigInt(status),
    isFilled ? count : 0n,
    isFilled ? 0n : 0xdeadbeefn,
    isFilled ? received : 0n,
    90_000n,
  );
  return concat([head, ...moved]);
}

const hashes: Record<'hash' | 'parentHash', Hex> = { hash: `0x${'11'.repeat(32)}`, parentHash: `0x${'22'.repeat(32)}` };
/** The header of the block in which probes run. */
export const testHeader = { number: '0x10', timestamp: '0x64', baseFeePerGas: '0x1', ...hashes };

/** The answer to a probe. @param supply of tokenIn */
export function probeAnswer(probe: Probe, runOf: RunOf, { funded = true, supply = 0n, time = 100n } = {}): Hex {
  const runs = probe.orders.flatMap((order) => {
    const first = runOf(order, probe, false);
    if (order.secondPayer === zeroAccount) return [runWords(order, first)];
    const second = first.status === 1 ? runOf(order, probe, true) : { status: 0 };
    return [runWords(order, first), runWords(order, second)];
  });
  const head = [
    1n,
    BigInt(probe.orders.length),
    16n,
    time,
    BigInt(testHeader.parentHash),
    funded ? 1n : 0n,
    0n,
    0n,
    supply,
    5n,
  ];
  return concat([wordsOf(...head), ...runs]);
}

/** A node that answers probes like this, and the probes that it received. `other` replies to other calls. */
export function probeNode(
  runOf: RunOf = () => ({ status: 1 }),
  { other, ...facts }: { other?: (call: RpcCall) => RpcReply; funded?: boolean; supply?: bigint } = {},
) {
  const probes: Probe[] = [];
  const requests: number[] = [];
  const node = testNode(
    {
      chain: 'base',
      async send(calls) {
        requests.push(calls.length);
        return calls.map((call): RpcReply => {
          if (call.method === 'eth_getBlockByNumber') return { result: testHeader };
          if (call.method !== 'eth_call') return other?.(call) ?? { error: { code: -32_601, message: 'no method' } };
          const probe = decodeProbe(call);
          probes.push(probe);
          return { result: probeAnswer(probe, runOf, facts) };
        });
      },
    },
    { checked: true, baseFee: 1n },
  );
  return { node, probes, requests };
}
