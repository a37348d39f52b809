import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex } from 'viem';
import { asker, type LensAsk, type LensCaller, lensAddress } from '../chain/lensCall.ts';
import { type Node, NodeRefusedError } from '../chain/node.ts';
import type { RpcCall, RpcReply } from '../chain/rpcEndpoint.ts';
import type { Deployment, Slot } from '../venues/venueTypes.ts';
import { assertAnswer } from './assertAnswer.ts';
import { decodeReading } from './decodeReading.ts';
import { emptyQuestion, type LensQuestion, sizeModes } from './encodeAsk.ts';
import type { LensReading } from './lensReading.ts';
import { type FundingMemory, fundLens, layoutCount, placesOf, type TokenFunding, tryLayouts } from './tokenFunding.ts';
import { LensAnswerError } from './wordReader.ts';

/** What the engine keeps of one chain. */
export interface ChainData {
  deployment: Deployment;
  slots: readonly Slot[];
  encode: (question: LensQuestion, salt: bigint) => Hex;
  lens: LensCaller;
  funding: FundingMemory;
  /** See `EnginePorts`. */
  oldBlockMs: number | undefined;
}

type Block = Hex | 'latest';

/**
 * Asks the lens with tokenIn in its hands. One trip; the first time a token is seen all usual layouts are tried in it
 * and the node is asked beside it which slots balanceOf reads; only a token that keeps its balances in none of the usual
 * places costs a second trip, once. `holder` of the reading is 0 when nothing helped.
 * @throws {NodeRefusedError | RpcTransportError}
 */
export async function readFunded(
  data: ChainData,
  question: LensQuestion,
  block: Block,
  node: Node,
): Promise<LensReading> {
  const { tokenIn } = question;
  if (question.mode === sizeModes.survey) {
    const [survey] = await readAll(data, [toAsk(data, question, block, nobody)], node);
    return survey;
  }
  const place = data.funding.find(tokenIn);
  if (place !== undefined) {
    const [reading] = await readAll(data, [toAsk(data, question, block, fundLens(tokenIn, place))], node);
    if (reading.holder !== 0 || place === 'unknown' || !isAsked(reading)) return reading;
    // The token keeps its balances elsewhere now, as a proxy with new code may.
    data.funding.forget(tokenIn);
  }
  const asked = toAsk(data, question, block, tryLayouts(tokenIn));
  const { answers, beside, rung } = await data.lens.readLenses(node, [asked.ask], [slotsCall(tokenIn)]);
  const [first] = decodeAll(data, [asked], answers);
  // Where no account can be changed for a call, nothing was learned about the token.
  if (rung !== 'override' || !isAsked(first)) return first;
  if (first.holder !== 0) {
    data.funding.remember(tokenIn, { layout: first.holder - 2 });
    return first;
  }
  return await readAtPlaces(data, question, node, first, beside[0]);
}

/** Tries the slots that the node named, each by itself: one of them may mean something else than a balance. */
async function readAtPlaces(
  data: ChainData,
  question: LensQuestion,
  node: Node,
  first: LensReading,
  named: RpcReply | undefined,
): Promise<LensReading> {
  const places = named && 'result' in named ? placesOf(named.result) : [];
  const block = numberToHex(first.blockNumber);
  const asks = places.map((place) => toAsk(data, question, block, fundLens(question.tokenIn, place)));
  const readings = asks.length > 0 ? await readAll(data, asks, node) : [];
  const found = readings.findIndex(({ holder }) => holder !== 0);
  // A node that failed to name slots has told nothing about the token; the next question asks again.
  if (found < 0 && !(named && 'result' in named)) return first;
  data.funding.remember(question.tokenIn, places[found] ?? 'unknown');
  return readings[found] ?? first;
}

/** The question for a caller that sends it in a batch of its own, at one trip whatever is known of the token. */
export function toLensAsk(data: ChainData, question: LensQuestion, block: Block): LensAsk {
  const place = data.funding.find(question.tokenIn);
  const funding = place === undefined ? tryLayouts(question.tokenIn) : fundLens(question.tokenIn, place);
  return toAsk(data, question, block, funding).ask;
}

/**
 * Cuts the answer to such a question apart, and keeps what it says of where the token keeps its balances.
 * @throws {LensAnswerError}
 */
export function readAnswer(data: ChainData, question: LensQuestion, words: Hex): LensReading {
  const { funding, slots } = data;
  const isKnown = funding.find(question.tokenIn) !== undefined;
  const reading = decodeReading(words, slots);
  // What was known may have been found out between question and answer: either may be what was asked.
  const payers = reading.holder > 1 ? layoutCount : 0;
  assertAnswer(reading, { ...question, payers }, slots);
  if (reading.holder > 1 && !isKnown) funding.remember(question.tokenIn, { layout: reading.holder - 2 });
  return reading;
}

const nobody: TokenFunding = { accounts: {}, payers: 0 };

/** A size of a token was priced: only then has the lens looked for who holds it. */
const isAsked = ({ amountIn, surveyed }: LensReading) => amountIn > 0n && !surveyed;

/** The call, and the question in full, against which its answer is held. */
interface Asked {
  ask: LensAsk;
  question: LensQuestion;
}

function toAsk(data: ChainData, question: LensQuestion, block: Block, { accounts, payers }: TokenFunding): Asked {
  const full = { ...question, payers, trusted: isTrusted(data.deployment, question.tokenIn) };
  return { ask: { data: data.encode(full, newSalt()), block, accounts }, question: full };
}

/** Base assets keep nothing of a transfer; what they pay is proven for the winner only. */
export function isTrusted({ bases }: Deployment, token: Address): boolean {
  return bases.some(({ address }) => address.toLowerCase() === token.toLowerCase());
}

async function readAll(data: ChainData, asked: readonly Asked[], node: Node) {
  const { answers } = await data.lens.readLenses(
    node,
    asked.map(({ ask }) => ask),
  );
  return decodeAll(data, asked, answers);
}

function decodeAll(
  { slots }: ChainData,
  asked: readonly Asked[],
  answers: readonly Hex[],
): [LensReading, ...LensReading[]] {
  try {
    return answers.map((words, index) => {
      const reading = decodeReading(words, slots);
      assertAnswer(reading, asked[index]?.question ?? emptyQuestion, slots);
      return reading;
    }) as [LensReading, ...LensReading[]];
  } catch (cause) {
    if (!(cause instanceof LensAnswerError)) throw cause;
    throw new NodeRefusedError('The node returned something else than the lens writes.', { cause });
  }
}

function slotsCall(token: Address): RpcCall {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [lensAddress] });
  return {
    method: 'eth_createAccessList',
    params: [{ from: asker, to: token, data, gas: numberToHex(1_000_000) }, 'latest'],
  };
}

/** 256 bits that nobody can guess. */
export function newSalt(): bigint {
  return crypto.getRandomValues(new BigUint64Array(4)).reduce((salt, part) => (salt << 64n) | part, 0n);
}
