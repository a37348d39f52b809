import { type Hex, numberToHex } from 'viem';
import { createBlockPace } from '../../../engine/chain/blockPace.ts';
import { createLensCaller } from '../../../engine/chain/lensCall.ts';
import type { RpcCall, RpcReply } from '../../../engine/chain/rpcEndpoint.ts';
import { type LowerAddress, toLowerAddress } from '../../../engine/lowerAddress.ts';
import { createPoolHints } from '../../../engine/pools/poolHints.ts';
import { createPairMemory } from '../../../engine/pools/poolLocations.ts';
import { createStateSource } from '../../../engine/pools/readPools.ts';
import type { ChainData } from '../../../engine/quote/chainData.ts';
import { createFundingMemory, type Funding } from '../../../engine/quote/funding/fundingMemory.ts';
import { type SlotOf, usualFormulas } from '../../../engine/quote/funding/storageLocations.ts';
import { createFeeModules } from '../../../engine/quote/market/feeModules.ts';
import { createPoolSearcher } from '../../../engine/quote/market/foundPools.ts';
import { createMarketMemory } from '../../../engine/quote/market/marketMemory.ts';
import { deployments } from '../../../engine/venues/deployments/deployments.ts';
import type { Deployment } from '../../../engine/venues/venueTypes.ts';
import {
  decodeKnownCall,
  decodeStateCall,
  type MarketState,
  paidBy,
  probeWords,
  rows,
  type ScriptedPool,
  type StateCall,
  stateReply,
} from './scriptedLenses.ts';
import { testNode } from './testNode.ts';
import { decodeProbe, type Probe, testHeader, tokenA, tokenB, tokenC } from './testProbe.ts';

/** What one call of a request was. */
export interface SentCall {
  kind: 'states' | 'known states' | 'probe' | 'other';
  block: unknown;
  states?: StateCall;
  probe?: Probe;
  call: RpcCall;
}

export interface MarketOptions {
  pools: ScriptedPool[];
  /** Tokens whose storage layout is not known. */
  funding?: 'unknown' | 'none';
  supply?: bigint;
  deployment?: Partial<Deployment>;
  other?: (call: RpcCall) => RpcReply | undefined;
}

/** Real caches of a chain with two venues. */
function dataOf({ funding: known, deployment: changed }: MarketOptions, state: MarketState): ChainData {
  const asset = { address: tokenC, decimals: 18, symbol: 'C', usdStable: true } as const;
  const { l1FeeOracle: _, sequencerFeed: __, ...common } = deployments.base;
  const deployment: Deployment = {
    ...common,
    ...{ venues: [], uncovered: [], feeds: {}, usdc: tokenC, wrappedNative: tokenC },
    ...{ routingAssets: [asset], pricingAssets: [asset] },
    ...changed,
  };
  const now = () => state.now;
  const lens = createLensCaller();
  const funding = createFundingMemory(now);
  const [slotOf, slotOfAllowance] = usualFormulas as unknown as [SlotOf, SlotOf];
  const layout: Funding = {
    ...{ decimals: 18, supply: state.supply, sample: { stored: 1n, balance: 1n } },
    balances: { contract: tokenA, slotOf },
    allowances: { contract: tokenA, slotOf: slotOfAllowance },
  };
  if (known !== 'none') funding.set(tokenA, known ?? layout);
  return {
    ...{ deployment, candidatePools: rows, lens, funding, pace: createBlockPace(), oldBlockMs: undefined },
    states: createStateSource(deployment, rows, lens, { now, pairs: createPairMemory(now) }),
    markets: createMarketMemory(now),
    found: createPoolSearcher({ deployment, candidatePools: rows, now }),
    hints: createPoolHints({ sources: [], index: undefined, candidatePools: rows, deployment, now }),
    feeModules: createFeeModules(now, rows),
  };
}

/** A market of tokenA, tokenB and the routing asset tokenC, on a node that counts its requests. */
export function scriptedMarket(options: MarketOptions) {
  const state: MarketState = {
    ...{ pools: options.pools, number: 16n, supply: options.supply ?? 10n ** 30n, now: 0, idleMs: 0 },
    ...{ isFunded: true, baseFee: 1n },
  };
  const requests: SentCall[][] = [];

  function replyTo(call: RpcCall): { sent: SentCall; reply: RpcReply } {
    const sent: SentCall = { kind: 'other', block: call.params[1], call };
    const header = { ...testHeader, number: numberToHex(state.number), timestamp: numberToHex(state.number + 84n) };
    if (call.method === 'eth_getBlockByNumber') return { sent, reply: { result: header } };
    if (call.method === 'eth_getLogs') return { sent, reply: options.other?.(call) ?? { result: [] } };
    const [{ data = '0x' } = {}] = call.params as [{ data?: Hex }?];
    const states = decodeStateCall(data);
    if (states) return { sent: { ...sent, kind: 'states', states }, reply: stateReply(states, state) };
    const known = decodeKnownCall(data);
    if (known) return { sent: { ...sent, kind: 'known states', states: known }, reply: stateReply(known, state) };
    const other = options.other?.(call);
    if (other) return { sent, reply: other };
    try {
      const probe = decodeProbe(call);
      return { sent: { ...sent, kind: 'probe', probe }, reply: { result: probeWords(probe.orders, state) } };
    } catch {
      return { sent, reply: { error: { code: -32_000, message: 'execution reverted' } } };
    }
  }

  const scripted = testNode(
    {
      chain: 'base',
      async send(calls) {
        const answered = calls.map(replyTo);
        requests.push(answered.map(({ sent }) => sent));
        return answered.map(({ reply }) => reply);
      },
    },
    { checked: true, baseFee: 1n },
  );
  /** A node of a new attempt, as each quote gets one. */
  const newNode = () => ({ ...scripted, block: undefined, idleMs: () => state.idleMs });
  /** The kinds of the lens calls of each request, without requests that call none. */
  const kindsSent = () =>
    requests
      .map((calls) => calls.flatMap(({ kind }) => (kind === 'other' ? [] : [kind])))
      .filter((kinds) => kinds.length > 0);
  return { data: dataOf(options, state), state, requests, newNode, kindsSent, paidBy };
}

/** A pool of two tokens with these reserves, in whole tokens of 18 decimals. */
export function scriptedPool(
  digit: string,
  [a, b]: readonly [LowerAddress, LowerAddress] = [tokenA, tokenB],
  [reserveA, reserveB]: readonly [bigint, bigint] = [1_000n, 2_000n],
  more: Partial<ScriptedPool> = {},
): ScriptedPool {
  const id = toLowerAddress(`0x${digit.repeat(40)}`);
  const [whole0, whole1] = a < b ? [reserveA, reserveB] : [reserveB, reserveA];
  const [token0, token1] = a < b ? [a, b] : [b, a];
  return { id, token0, token1, reserve0: whole0 * 10n ** 18n, reserve1: whole1 * 10n ** 18n, ...more };
}
