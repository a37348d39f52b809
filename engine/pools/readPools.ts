import type { Hex } from 'viem';
import { stateLensArtifact } from '../../contracts/artifacts/lens/StateLens.ts';
import type { LensAsk, LensCaller } from '../chain/lensCall.ts';
import { type Node, NodeRefusedError } from '../chain/node.ts';
import { LensAnswerError } from '../quote/wordReader.ts';
import { encodeWorld } from '../venues/encodeWorld.ts';
import type { Deployment, Slot } from '../venues/venueTypes.ts';
import { decodeStates, type StateReading } from './decodeStates.ts';
import { createStateEncoder } from './encodeStateAsk.ts';
import { type MarketQuestion, type StateQuestion, toStateQuestion } from './stateQuestion.ts';

/** Inputs of the state lens for one chain. */
export interface StateSource {
  deployment: Deployment;
  slots: readonly Slot[];
  encodeStates: (question: StateQuestion) => Hex;
  lens: LensCaller;
}

export function createStateSource(deployment: Deployment, slots: readonly Slot[], lens: LensCaller): StateSource {
  return { deployment, slots, encodeStates: createStateEncoder(encodeWorld(deployment, slots)), lens };
}

/** The call for a batch that the caller sends. */
export function toStateAsk({ encodeStates }: StateSource, question: StateQuestion, block: Hex | 'latest'): LensAsk {
  return { data: encodeStates(question), block, lens: stateLensArtifact };
}

/**
 * Reads the pools of all pairs that a route may use, at one block, in one request.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function readMarketStates(
  source: StateSource,
  question: MarketQuestion,
  node: Node,
  block: Hex | 'latest',
): Promise<StateReading> {
  return (await readStatesBeside(source, question, [], node, block)).states;
}

/**
 * Reads the states and calls other lenses in the same request.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function readStatesBeside(
  source: StateSource,
  question: MarketQuestion,
  others: readonly LensAsk[],
  node: Node,
  block: Hex | 'latest',
): Promise<{ states: StateReading; answers: Hex[] }> {
  const asked = toStateQuestion(source.deployment, question);
  // The states come last: their block is the one that the attempt is pinned to.
  const { answers } = await source.lens.readLenses(node, [...others, toStateAsk(source, asked, block)]);
  try {
    const states = decodeStates(answers.at(-1) ?? '0x', asked, source.slots, source.deployment.wrappedNative);
    return { states, answers: answers.slice(0, -1) };
  } catch (cause) {
    if (!(cause instanceof LensAnswerError)) throw cause;
    throw new NodeRefusedError('The node returned something else than the state lens writes.', { cause });
  }
}
