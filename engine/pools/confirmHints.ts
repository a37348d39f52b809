import { type Hex, isHex, numberToHex, size, toFunctionSelector } from 'viem';
import { createBatch, resultOf } from '../chain/batch.ts';
import { fromAggregateReply, toAggregateCall } from '../chain/multicall3.ts';
import type { Node } from '../chain/node.ts';
import type { RpcCall, RpcReply } from '../chain/rpcEndpoint.ts';
import { decodeWords, encodeWords } from '../chain/words.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import type { CandidatePool } from '../venues/candidatePool.ts';
import { toAddress, toInt24, toUint24 } from '../venues/eventWords.ts';
import type { EventName } from '../venues/families.ts';
import { kinds, noHooks } from '../venues/kinds.ts';
import { poolIdOf } from '../venues/uniswapV4/poolKey.ts';
import type { Deployment } from '../venues/venueTypes.ts';
import type { PoolCreation } from './poolIndex.ts';

/** How a factory returns its own pool, and the event that it logged for the pool. */
interface LookUp {
  selector: Hex;
  event: EventName;
  /** The part of the pool's key besides its tokens, which the pool itself returns. */
  key: 'fee' | 'tickSpacing' | 'stable' | undefined;
}

const lookUp = (signature: string, event: EventName, key?: LookUp['key']): LookUp => ({
  selector: toFunctionSelector(signature),
  event,
  key,
});

const lookUps: Readonly<Record<number, LookUp>> = {
  [kinds.v2]: lookUp('getPair(address,address)', 'pair'),
  [kinds.v3]: lookUp('getPool(address,address,uint24)', 'v3', 'fee'),
  [kinds.slipstream]: lookUp('getPool(address,address,int24)', 'slipstream', 'tickSpacing'),
  [kinds.algebra]: lookUp('poolByPair(address,address)', 'algebra'),
  [kinds.solidly]: lookUp('getPool(address,address,bool)', 'solidly', 'stable'),
  [kinds.solidlyPair]: lookUp('getPair(address,address,bool)', 'solidly', 'stable'),
  [kinds.selfPricedPair]: lookUp('getPair(address,address)', 'pair'),
};

const getters = ['factory', 'token0', 'token1', 'fee', 'tickSpacing', 'stable'] as const;
const getterSelectors = getters.map((name) => toFunctionSelector(`${name}()`));
const poolKeys = toFunctionSelector('poolKeys(bytes25)');
/** Bounds the work and the reply of a contract that only looks like a pool. */
const gas = numberToHex(3_000_000);

/** The tables that confirm pools of one chain. */
export interface HintTables {
  candidatePools: readonly CandidatePool[];
  deployment: Pick<Deployment, 'venues'>;
}

/**
 * The pools among addresses and 32-byte ids of a third party, as their factories' logs would describe them. A pool counts
 * if its factory is covered and returns it for its own tokens and key. An id counts if Uniswap's position manager returns
 * a key that hashes to it. Two requests.
 *
 * @returns undefined if the node did not answer
 */
export async function confirmHints(
  hints: readonly Hex[],
  tables: HintTables,
  node: Node,
): Promise<PoolCreation[] | undefined> {
  const { manager, positionManager } =
    tables.deployment.venues.find((row) => row.family === 'uniswap-v4') ?? ({} as Record<string, undefined>);
  const ids = manager && positionManager ? hints.filter((hint) => size(hint) === 32) : [];
  const addresses = hints.filter((hint) => size(hint) === 20) as LowerAddress[];
  const batch = createBatch();
  const keyReplies = batch.add(
    ...ids.map((id) => toCall(positionManager, `${poolKeys}${id.slice(2, 52)}${'00'.repeat(7)}`)),
  );
  const getterReplies = batch.add(...addresses.map(toGetterCall));
  if ((await batch.trySend(node)) !== undefined) return undefined;
  const keyed = keyReplies().flatMap((reply, at) => toKeyed(reply, ids[at], manager));
  const claims = getterReplies().flatMap((reply, at) => toClaim(reply, addresses[at], tables.candidatePools) ?? []);
  if (claims.length === 0) return keyed;

  const lookedUp = createBatch();
  const reads = claims.map(({ creation: { factory }, data }) => ({ to: factory, data }));
  const reply = lookedUp.add(toAggregateCall(reads, gas, 'latest'));
  if ((await lookedUp.trySend(node)) !== undefined) return undefined;
  const found = decodeAll(reply()[0], claims.length);
  return [...keyed, ...claims.flatMap(({ creation }, at) => (found[at] === BigInt(creation.id) ? creation : []))];
}

const toCall = (to: LowerAddress | undefined, data: string): RpcCall => ({
  method: 'eth_call',
  params: [{ to, data, gas }, 'latest'],
});

/** One call for each contract, so that a contract which burns its gas affects no other. */
const toGetterCall = (pool: LowerAddress): RpcCall =>
  toAggregateCall(
    getterSelectors.map((data) => ({ to: pool, data })),
    gas,
    'latest',
  );

/** The first word that each call returned; undefined if it failed or returned less. */
function decodeAll(reply: RpcReply | undefined, count: number): (bigint | undefined)[] {
  const results = fromAggregateReply(reply);
  // No result: a chain without Multicall3, or a node's malformed reply.
  if (results?.length !== count) return [];
  return results.map(({ success, returnData }) => (success ? decodeWords(returnData, 1)[0] : undefined));
}

/** What a contract claims about itself, and the call of its factory that confirms it. */
interface Claim {
  creation: PoolCreation;
  data: Hex;
}

function toClaim(
  reply: RpcReply | undefined,
  pool: LowerAddress | undefined,
  candidatePools: readonly CandidatePool[],
): Claim | undefined {
  const words = decodeAll(reply, getters.length);
  const [factoryWord, word0, word1] = words;
  if (!pool || factoryWord === undefined || word0 === undefined || word1 === undefined) return undefined;
  const factory = toAddress(factoryWord);
  const own = candidatePools.find((candidatePool) => candidatePool.factory === factory);
  const found = own && lookUps[own.kind];
  const keyWord = found?.key && words[getters.indexOf(found.key)];
  if (!found || (found.key && keyWord === undefined)) return undefined;
  const [currency0, currency1] = [toAddress(word0), toAddress(word1)];
  const key = keyWord ?? 0n;
  return {
    creation: {
      event: found.event,
      factory,
      id: pool,
      currency0,
      currency1,
      fee: found.key === 'tickSpacing' ? 0 : toUint24(key),
      tickSpacing: found.key === 'tickSpacing' ? toInt24(key) : 0,
      hooks: noHooks,
      blockNumber: 0,
    },
    data: encodeWords(found.selector, [currency0, currency1, ...(found.key ? [key] : [])]),
  };
}

/** The pool of a v4 id, if the key in the reply hashes to the id. */
function toKeyed(reply: RpcReply | undefined, id: Hex | undefined, manager: LowerAddress | undefined): PoolCreation[] {
  const data = resultOf(reply);
  const words = isHex(data) ? decodeWords(data, 5) : [];
  if (!id || !manager || words.length < 5) return [];
  const [currency0, currency1, hooks] = [toAddress(words[0]), toAddress(words[1]), toAddress(words[4])];
  const key = { currency0, currency1, fee: toUint24(words[2]), tickSpacing: toInt24(words[3]), hooks };
  if (poolIdOf(key) !== id) return [];
  return [{ event: 'v4', factory: manager, id, ...key, blockNumber: 0 }];
}
