import { type Address, bytesToHex, type Hex, numberToHex } from 'viem';
import { planLensArtifact } from '../../contracts/artifacts/lens/PlanLens.ts';
import { chainFacts } from '../chains.ts';
import { VerificationError } from '../trade/errors.ts';
import { toPlan } from '../trade/plan.ts';
import { routersOf } from '../trade/routers.ts';
import type { Quote } from '../wire.ts';
import { fundPayer } from './fundPayer.ts';
import { decodeProve, type Execution, encodeProve } from './proveCall.ts';
import { createRpc, NodeError, type Rpc } from './rpc.ts';

export interface VerifyOptions {
  /** Your own node of the quote's chain. It needs the state of the quote's block, state overrides and eth_createAccessList. */
  rpcUrl: string;
  fetch?: typeof globalThis.fetch;
}

/** The quoted amount and the amount executed on your node at the same block, in base units of tokenOut. */
export interface Verification {
  blockNumber: bigint;
  claimed: bigint;
  /** 0 when the legs could not be executed; `outcome` contains the reason. */
  executed: bigint;
  /** executed - claimed: 0 for an exact quote. */
  difference: bigint;
  /** `executed`, or how the execution ended and at which leg. */
  outcome: string;
  legs: { claimed: bigint; executed: bigint }[];
}

const gas = 24_000_000n;

/**
 * Executes a quote's legs at its block on your own node by one eth_call, from a test account that state overrides fund with
 * tokenIn. Sends no transaction.
 * @throws {VerificationError} the node cannot execute the quote, which may still be correct
 */
export async function verify(quote: Quote, { rpcUrl, fetch = globalThis.fetch }: VerifyOptions): Promise<Verification> {
  const plan = toPlan(quote);
  if (plan.legs.length === 0) throw new VerificationError('no-route', 'The quote has no route to execute.');
  const chain = routersOf(quote.chain);
  const rpc = createRpc(rpcUrl, fetch);
  const block = numberToHex(BigInt(quote.blockNumber));
  const baseFee = await readBaseFee(rpc, block, chainFacts[quote.chain].chainId);
  const [payer, lens] = [randomAddress(), randomAddress()];
  await assertState(rpc, block, payer);
  await assertOverrides(rpc, block);

  const accounts = await fundPayer({
    rpc,
    block,
    token: plan.tokenIn,
    payer,
    spender: lens,
    amount: plan.amountIn,
  });
  const maxFeePerGas = baseFee * 2n + 1_000_000_000n;
  const call = {
    from: payer,
    to: lens,
    gas: numberToHex(gas),
    maxFeePerGas: numberToHex(maxFeePerGas),
    maxPriorityFeePerGas: '0x0',
    data: encodeProve(plan, chain, payer),
  };
  const override = {
    ...accounts,
    [lens]: { code: planLensArtifact.runtime },
    [payer]: { balance: numberToHex(2n * gas * maxFeePerGas) },
  };
  const words = await rpc<Hex>('eth_call', [call, block, override]).catch(
    refuseAs('not-executed', 'The node did not execute the legs'),
  );
  const execution = decodeProve(words, plan.legs.length);
  if (!execution) throw new VerificationError('not-executed', 'The node returned no result of the execution.');
  return compare(quote, execution);
}

function compare(
  { amountOut, blockNumber, route }: Quote,
  { status, endedAt, received, legs }: Execution,
): Verification {
  const claimed = BigInt(amountOut);
  const executed = status === 'executed' ? received : 0n;
  return {
    blockNumber: BigInt(blockNumber),
    claimed,
    executed,
    difference: executed - claimed,
    outcome: status === 'executed' ? status : `${status} at leg ${endedAt + 1} of ${legs.length}`,
    legs: route.legs.map((leg, index) => ({ claimed: BigInt(leg.amountOut), executed: legs[index]?.amountOut ?? 0n })),
  };
}

async function readBaseFee(rpc: Rpc, block: Hex, chainId: number): Promise<bigint> {
  const served = BigInt(
    await rpc<Hex>('eth_chainId', []).catch(refuseAs('unreachable', 'The node did not name its chain')),
  );
  if (served !== BigInt(chainId)) {
    throw new VerificationError('wrong-chain', `The node serves chain ${served}, the quote is of chain ${chainId}.`);
  }
  const missing = (why: string) => `The node does not have block ${BigInt(block)}: ${why}`;
  const header = await rpc<{ baseFeePerGas?: Hex } | null>('eth_getBlockByNumber', [block, false]).catch(
    refuseAs('no-block', missing('it refused to read it')),
  );
  if (header) return BigInt(header.baseFeePerGas ?? '0x0');
  const latest = BigInt(
    await rpc<Hex>('eth_blockNumber', []).catch(refuseAs('no-block', missing('it refused to read it'))),
  );
  throw new VerificationError('no-block', missing(`its latest is ${latest}.`));
}

async function assertState(rpc: Rpc, block: Hex, account: Address): Promise<void> {
  const words = `The node has no state of block ${BigInt(block)} any more; use one that keeps it (an archive node)`;
  await rpc('eth_getBalance', [account, block]).catch(refuseAs('no-state', words));
}

/** PUSH1 42, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN */
const answering42: Hex = '0x602a60005260206000f3';

async function assertOverrides(rpc: Rpc, block: Hex): Promise<void> {
  const to = randomAddress();
  const words = 'The node does not support state overrides in eth_call, which this needs';
  const read = await rpc<Hex>('eth_call', [{ to, data: '0x' }, block, { [to]: { code: answering42 } }]).catch(
    refuseAs('no-overrides', words),
  );
  if (read === '0x' || BigInt(read) !== 42n) throw new VerificationError('no-overrides', `${words}.`);
}

/** Converts a node error to a VerificationError with the node's message. */
function refuseAs(fault: ConstructorParameters<typeof VerificationError>[0], words: string) {
  return (cause: unknown): never => {
    if (!(cause instanceof NodeError)) throw cause;
    throw new VerificationError(fault, `${words}: ${cause.message}.`, { cause });
  };
}

const randomAddress = (): Address => bytesToHex(crypto.getRandomValues(new Uint8Array(20)));
