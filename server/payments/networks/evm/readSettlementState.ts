import { type Address, encodeFunctionData, type Hex } from 'viem';
import { type Chain, multicall3 } from '../../chainCall.ts';
import type { EvmNetworkConfig } from '../../paymentConfig.ts';
import type { SettlementObstacle, SettlementState } from '../../settlementState.ts';
import { type Fees, toFees } from './fees.ts';
import { bytes, header, quantity } from './nodeAnswers.ts';
import { callTogether, decodeTogether, encodeTogether, toWord } from './readEvmFunds.ts';
import { costCalls, decodeCost, leastCost } from './settlementCost.ts';
import { usdcAbi } from './usdcAbi.ts';

/** Gas of one settlement, rounded up. */
const gasOfTransfer = 120_000n;
/** Length of the call data of a transfer that is signed by an EOA. */
const usualDataBytes = 356;
/** As expensive as signatures on chains that compress call data. */
const usualData: Hex = `0x${'5a'.repeat(usualDataBytes)}`;
const arbitrum = 42161;
const baseGas = 21_000n;

type CallResult = { success: boolean; returnData: Hex };
type TokenConfig = Pick<EvmNetworkConfig, 'asset' | 'payTo'>;

const tokenCalls = ({ asset, payTo }: TokenConfig) => [
  { target: asset, callData: encodeFunctionData({ abi: usdcAbi, functionName: 'paused' }) },
  { target: asset, callData: encodeFunctionData({ abi: usdcAbi, functionName: 'isBlacklisted', args: [payTo] }) },
];

/** A token without one of the two functions has no such obstacle. */
function findTokenObstacle([paused, blocked]: readonly CallResult[]): SettlementObstacle | undefined {
  if (paused && toWord(paused) === 1n) return 'token_paused';
  return blocked && toWord(blocked) === 1n ? 'payee_blocked' : undefined;
}

/** The obstacles that also stop a remote facilitator. @throws {ChainUnreachableError} @throws {JsonRpcError} */
export async function readTokenObstacle(
  { callVerified }: Pick<Chain, 'callVerified'>,
  config: TokenConfig,
): Promise<SettlementObstacle | undefined> {
  return findTokenObstacle(await callTogether(callVerified, tokenCalls(config)));
}

/**
 * Reads in one batch whether our account can settle a payment: token, payee, gas, its price in US dollars.
 * @throws {ChainUnreachableError} @throws {JsonRpcError}
 */
export async function readSettlementState(
  { callAllVerified }: Pick<Chain, 'callAllVerified'>,
  config: EvmNetworkConfig,
  account: Address,
): Promise<SettlementState> {
  const { chainId, pricing } = config;
  const token = tokenCalls(config);
  const data = encodeTogether([...token, ...costCalls(pricing, usualDataBytes)]);
  const requests = [
    ['eth_call', [{ to: multicall3, data }, 'latest'], bytes],
    ['eth_getBalance', [account, 'latest'], quantity],
    ['eth_getBlockByNumber', ['latest', false], header],
    ['eth_maxPriorityFeePerGas', [], quantity],
  ] as const;
  // Arbitrum charges L1 data as gas. A transaction with as much data to our own account executes no code.
  const idle = ['eth_estimateGas', [{ from: account, to: account, data: usualData }, 'latest'], quantity] as const;
  const [reply, balance, block, tip, idleGas = baseGas] =
    chainId === arbitrum ? await callAllVerified(...requests, idle) : await callAllVerified(...requests);
  const results = decodeTogether(reply);
  const fees: Fees = toFees(chainId, block, tip);
  const gas = gasOfTransfer + idleGas - baseGas;
  const cost = decodeCost(pricing, results.slice(token.length));
  const tokenObstacle = findTokenObstacle(results);
  const l1Fee = cost.kind === 'read' ? cost.l1Fee : 0n;
  const feeOfOne = gas * fees.maxFeePerGas + l1Fee;
  const settlements = balance / (feeOfOne > 0n ? feeOfOne : 1n);
  const gasCost = cost.kind === 'read' ? leastCost(chainId, { gas, fees, cost }) : undefined;
  const obstacle =
    tokenObstacle ?? (settlements < 1n ? 'no_gas' : gasCost === undefined ? 'gas_cost_unknown' : undefined);
  return { obstacle, settlements, gasCost };
}
