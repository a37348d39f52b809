import type { Hex } from 'viem';
import type { BlockPace } from '../chain/blockPace.ts';
import { type LensCaller, type LensRequest, newParties, type Parties, randomNumber } from '../chain/lensCall.ts';
import { type Node, NodeRefusedError } from '../chain/node.ts';
import { LensAnswerError } from '../chain/wordReader.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import type { PoolHints } from '../pools/poolHints.ts';
import type { StateSource } from '../pools/stateSource.ts';
import type { CandidatePool } from '../venues/candidatePool.ts';
import type { Deployment } from '../venues/venueTypes.ts';
import { assertAnswer } from './assertAnswer.ts';
import { decodeReading } from './decodeReading.ts';
import { type LensQuery, largestWord, sizeModes } from './encodeQuery.ts';
import type { FeeModules } from './feeModules.ts';
import type { PoolSearcher } from './foundPools.ts';
import { findFunding } from './funding/findFunding.ts';
import type { FundingMemory, KnownFunding } from './funding/fundingMemory.ts';
import { type FundedPayers, fundPayers } from './funding/fundPayers.ts';
import { quoteLens } from './lensCode.ts';
import type { LensReading } from './lensReading.ts';
import type { MarketMemory } from './marketMemory.ts';
import { toBaseUnits } from './parseSize.ts';
import type { ExecutorMemory } from './transaction/executorState.ts';

/** Data and caches of one chain. */
export interface ChainData {
  deployment: Deployment;
  candidatePools: readonly CandidatePool[];
  encode: (query: LensQuery, salt: bigint) => Hex;
  lens: LensCaller;
  states: StateSource;
  funding: FundingMemory;
  markets: MarketMemory;
  found: PoolSearcher;
  hints: PoolHints;
  feeModules: FeeModules;
  pace: BlockPace;
  /** Undefined: plans are executed at random addresses only. */
  executor?: ExecutorMemory | undefined;
  /** See `EnginePorts`. */
  oldBlockMs: number | undefined;
}

type Block = Hex | 'latest';

/**
 * How accounts are funded with a token, from memory or from the node.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function loadFunding(
  data: Pick<ChainData, 'deployment' | 'funding'>,
  node: Node,
  token: LowerAddress,
): Promise<KnownFunding | undefined> {
  const known = data.funding.find(token);
  if (known !== undefined) return known;
  const found = await findFunding(node, token);
  if (found !== undefined) data.funding.remember(token, found);
  return found;
}

/** The call for a batch that the caller sends. Call `loadFunding` first. */
export async function toLensRequest(data: ChainData, query: LensQuery, block: Block, node: Node): Promise<LensRequest> {
  return (await toRequest(data, query, block, node, data.funding.find(query.tokenIn))).request;
}

/**
 * Decodes the answer to such a request, checks it against the query, and stores the token's supply.
 * @throws {LensAnswerError}
 */
export function decodeAnswer(data: ChainData, query: LensQuery, words: Hex): LensReading {
  const reading = decodeReading(words, data.candidatePools);
  assertAnswer(reading, query, data.candidatePools);
  storeSupply(data, query, reading);
  return reading;
}

/** The supply changes, so each reading updates the funding memory. */
function storeSupply({ funding }: ChainData, { tokenIn }: LensQuery, { supply }: LensReading): void {
  const known = funding.find(tokenIn);
  if (known === undefined || known === 'unknown') return;
  if (supply > 0n) known.supply = supply;
}

/** A call, and its complete query, against which the answer is checked. */
interface PreparedRequest {
  request: LensRequest;
  query: LensQuery;
}

async function toRequest(
  data: ChainData,
  query: LensQuery,
  block: Block,
  node: Node,
  known: KnownFunding | undefined,
): Promise<PreparedRequest> {
  const parties = newParties();
  const { payers, accounts, funder } = (await fund(data, query, node, parties, known)) ?? unfunded(parties);
  const full = { ...query, payers, trusted: isTrusted(data.deployment, query.tokenIn) };
  return { request: { data: data.encode(full, newSalt()), block, lens: quoteLens, accounts, funder, parties }, query: full };
}

async function fund(
  { deployment }: ChainData,
  query: LensQuery,
  node: Node,
  parties: Parties,
  known: KnownFunding | undefined,
): Promise<FundedPayers | undefined> {
  if (known === undefined || known === 'unknown') return undefined;
  const { tokenIn } = query;
  const size = amountOf(query, known);
  if (size <= 0n || size > largestWord) return undefined;
  // Wrapped native currency is minted on deposit, so its supply is no bound.
  const isWrapped = tokenIn === deployment.wrappedNative;
  return fundPayers(node, tokenIn, parties, isWrapped ? { ...known, supply: 0n } : known, size);
}

/** An unfunded trader: the lens reads a balance of 0 and reports that no payer is funded. */
const unfunded = ({ trader }: Parties): FundedPayers => ({
  payers: [{ account: trader, amount: largestWord }],
  accounts: {},
});

function amountOf({ mode, mantissa, scale }: LensQuery, { decimals }: Exclude<KnownFunding, 'unknown'>): bigint {
  return mode === sizeModes.token ? toBaseUnits({ mantissa, scale }, decimals).amount : mantissa;
}

/** Pricing assets have no transfer tax, so only the winner's swap is paid. */
export function isTrusted({ pricingAssets }: Deployment, token: LowerAddress): boolean {
  return pricingAssets.some(({ address }) => address === token);
}

/**
 * Reads the market with the quote lens without a funded account: swaps are executed but not paid. For tokens with which no
 * account can be funded, so that no plan can be executed.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function readUnpaid(
  data: ChainData,
  tokens: Pick<LensQuery, 'tokenIn' | 'tokenOut'>,
  amountIn: bigint,
  block: Block,
  node: Node,
): Promise<LensReading> {
  const query = { ...tokens, mode: sizeModes.units, mantissa: amountIn, scale: 0 };
  const prepared = await toRequest(data, query, block, node, undefined);
  const { answers } = await data.lens.readLenses(node, [prepared.request]);
  try {
    const reading = decodeReading(answers[0] ?? '0x', data.candidatePools);
    assertAnswer(reading, prepared.query, data.candidatePools);
    return reading;
  } catch (cause) {
    if (!(cause instanceof LensAnswerError)) throw cause;
    throw new NodeRefusedError('The node returned malformed data for the quote lens.', { cause });
  }
}

/** 256 random bits. */
export const newSalt = (): bigint => randomNumber(32);
