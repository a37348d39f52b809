import type { Address, Hex } from 'viem';
import { type LensRequest, newParties, randomAddress } from '../../chain/lensCall.ts';
import { type Node, NodeRefusedError } from '../../chain/node.ts';
import { LensAnswerError } from '../../chain/wordReader.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { KnownFunding } from '../funding/fundingMemory.ts';
import { fundAccounts, type Payer } from '../funding/fundPayers.ts';
import { planLensArtifact } from '../lensCode.ts';
import { type ChainData, knowFunding, newSalt } from '../readFunded.ts';
import { decodeProof } from './decodeProof.ts';
import { encodeProof } from './encodeProof.ts';
import type { FundedPlan, PlanRequest, ProofQuestion, ProofReading } from './proofTypes.ts';

type Block = Hex | 'latest';
type ProofData = Pick<ChainData, 'deployment' | 'funding' | 'lens'>;

/** A prepared call, for a batch that the caller sends. */
interface ProofRequest {
  request: LensRequest;
  question: ProofQuestion;
}

/**
 * Executes plans at one block and returns their outputs. One request; the first for a token needs one or two more, to
 * find its storage layout.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function provePlans(
  data: ProofData,
  tokenIn: LowerAddress,
  plans: readonly PlanRequest[],
  block: Block,
  node: Node,
): Promise<ProofReading> {
  const isKnown = data.funding.find(tokenIn) !== undefined;
  await knowFunding(data, node, tokenIn);
  const asked = await toProofRequests(data, tokenIn, plans, block, node);
  const { answers } = await data.lens.readLenses(
    node,
    asked.map(({ request }) => request),
  );
  const readings = asked.map((request, index) => readProof(data, tokenIn, request, answers[index] ?? '0x'));
  const reading = merge(readings as [ProofReading, ...ProofReading[]]);
  if (reading.funded || data.funding.find(tokenIn) === 'unknown' || plans.length === 0) return reading;
  // The storage layout changed, as in an upgraded proxy, or the rate of shares fell.
  data.funding.forget(tokenIn);
  return isKnown ? provePlans(data, tokenIn, plans, block, node) : reading;
}

/** The calls for `plans`: one, and another for those that are `apart`. Call `knowFunding` first. */
export async function toProofRequests(
  data: ProofData,
  tokenIn: LowerAddress,
  plans: readonly PlanRequest[],
  block: Block,
  node: Node,
): Promise<ProofRequest[]> {
  const [own, apart] = [plans.filter((plan) => !plan.apart), plans.filter((plan) => plan.apart)];
  const requests: ProofRequest[] = [];
  if (own.length > 0 || apart.length === 0) requests.push(await toProofRequest(data, tokenIn, own, block, node));
  if (apart.length > 0) requests.push(await toProofRequest(data, tokenIn, apart, block, node));
  return requests;
}

/** The readings of several calls at one block as one. */
function merge([first, ...others]: readonly [ProofReading, ...ProofReading[]]): ProofReading {
  const all = [first, ...others];
  return {
    ...first,
    funded: all.every(({ funded }) => funded),
    gasUsed: all.reduce((sum, { gasUsed }) => sum + gasUsed, 0n),
    proofs: all.flatMap(({ proofs }) => proofs),
  };
}

/** Call `knowFunding` first. One more request if the token's slots must be read from the node. */
export async function toProofRequest(
  data: ProofData,
  tokenIn: LowerAddress,
  plans: readonly PlanRequest[],
  block: Block,
  node: Node,
): Promise<ProofRequest> {
  const parties = newParties();
  const { payers, funded } = assignPayers(plans, parties.trader);
  const known = data.funding.find(tokenIn);
  const accounts = await fund(node, tokenIn, parties.lens, known, payers);
  const { wrappedNative, arbSys } = data.deployment;
  const question = { wrappedNative, arbSys, plans: funded };
  const call = { data: encodeProof(question, newSalt()), block, parties, lens: planLensArtifact };
  return { request: accounts ? { ...call, accounts } : call, question };
}

/**
 * Decodes the answer to a prepared call.
 * @throws {NodeRefusedError} if the answer does not fit the question
 */
export function readProof(
  data: ProofData,
  tokenIn: LowerAddress,
  { question }: Pick<ProofRequest, 'question'>,
  words: Hex,
): ProofReading {
  try {
    const reading = decodeProof(words, question);
    const known = data.funding.find(tokenIn);
    if (known !== undefined && known !== 'unknown' && reading.supply > 0n) known.supply = reading.supply;
    return reading;
  } catch (cause) {
    if (!(cause instanceof LensAnswerError)) throw cause;
    throw new NodeRefusedError('The node returned an answer that does not fit the plans.', { cause });
  }
}

/**
 * Plans of the same amount share their accounts, because each plan is undone before the next. The trader sells the
 * first plan's amount; every account holds exactly what it sells.
 */
function assignPayers(plans: readonly PlanRequest[], trader: Address): { payers: Payer[]; funded: FundedPlan[] } {
  const first = new Map<bigint, Address>();
  const second = new Map<bigint, Address>();
  const take = (accounts: Map<bigint, Address>, amount: bigint, fresh: Address) => {
    const account = accounts.get(amount) ?? fresh;
    accounts.set(amount, account);
    return account;
  };
  const funded = plans.map(({ plan, again }, index) => ({
    plan,
    payer: take(first, plan.amountIn, index === 0 ? trader : randomAddress()),
    secondPayer: again ? take(second, plan.amountIn, randomAddress()) : undefined,
  }));
  const payers = [...first, ...second].map(([amount, account]) => ({ account, amount }));
  return { payers, funded };
}

async function fund(node: Node, token: Address, lens: Address, known: KnownFunding | undefined, payers: Payer[]) {
  if (known === undefined || known === 'unknown') return undefined;
  return fundAccounts(node, token, lens, known, payers);
}
