import { encodeFunctionData, type Hex, numberToHex, parseAbi, size } from 'viem';
import { resultOf } from './batch.ts';
import type { NodeMemory } from './node.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';

/** Smaller numbers in an error are no gas limit of a node. */
const leastCap = 1_000_000n;
/** Fields that a node adds to each transaction before it charges for the data, in bytes; rounded up. */
const dataOfTransaction = 256n;
/** Nitro clamps a call's gas to 50 M by default. Where the gas would not suffice, nodes that can are asked to charge none. */
const mostGas = 45_000_000n;
/** The account that sends a call must be able to pay for its gas, so the gas has a limit. */
export const mostGasOnArbitrum = 200_000_000n;
const refusesGas = /gas.{0,60}(cap|limit|exceed|maximum|too (high|large)|higher)|exceed.{0,40}gas/i;
const failedForGas = /intrinsic gas|out of gas|required exceeds|execution reverted/i;

interface GasCall {
  gas?: Hex;
  data?: Hex;
}

/** Each object with a gas limit in a call, in its own copy. */
function mapGas({ method, params }: RpcCall, map: <T extends GasCall>(call: T) => T): RpcCall {
  const [first, ...rest] = params;
  if (method === 'eth_call') return { method, params: [map((first ?? {}) as GasCall), ...rest] };
  if (method !== 'eth_simulateV1') return { method, params };
  const payload = first as { blockStateCalls: { calls?: GasCall[] }[] };
  const blockStateCalls = payload.blockStateCalls.map((block) =>
    block.calls ? { ...block, calls: block.calls.map(map) } : block,
  );
  return { method, params: [{ ...payload, blockStateCalls }, ...rest] };
}

function highestGas(call: RpcCall): bigint {
  let highest = 0n;
  mapGas(call, (each) => {
    if (each.gas !== undefined && BigInt(each.gas) > highest) highest = BigInt(each.gas);
    return each;
  });
  return highest;
}

/**
 * Sends calls with gas limits that the node accepts. Some nodes refuse a call above their cap instead of lowering its gas:
 * the cap is learnt from the refusal. On Arbitrum a call's gas also pays for its data on Ethereum, so its limit is raised.
 */
export async function sendWithGas(
  memory: Pick<NodeMemory, 'gasCap' | 'l1PricePerUnit' | 'baseFee'>,
  calls: readonly RpcCall[],
  send: (calls: readonly RpcCall[]) => Promise<RpcReply[]>,
): Promise<RpcReply[]> {
  const sent = calls.map((call) => toSent(memory, call));
  const replies = await send(sent);
  const refused = sent.flatMap((call, index) => {
    const cap = capIn(replies[index], call);
    return cap === undefined ? [] : [{ index, cap }];
  });
  if (refused.length === 0) return replies;
  for (const { cap } of refused) if (memory.gasCap === undefined || cap < memory.gasCap) memory.gasCap = cap;
  const again = await sendWithGas(
    memory,
    refused.flatMap(({ index }) => calls[index] ?? []),
    send,
  );
  return replies.map((reply, index) => again[refused.findIndex((each) => each.index === index)] ?? reply);
}

function toSent({ gasCap, l1PricePerUnit = 0n, baseFee = 0n }: Parameters<typeof sendWithGas>[0], call: RpcCall) {
  if (gasCap === undefined && l1PricePerUnit === 0n) return call;
  return mapGas(call, (each) => {
    if (each.gas === undefined) return each;
    const l1Gas = call.method === 'eth_call' ? l1GasOf(each.data, l1PricePerUnit, baseFee) : 0n;
    const raised = BigInt(each.gas) + l1Gas;
    const gas = l1Gas > 0n && raised > mostGasOnArbitrum ? mostGasOnArbitrum : raised;
    return {
      ...each,
      gas: numberToHex(gasCap !== undefined && gas > gasCap ? gasCap : gas),
      ...(l1Gas > 0n && gas > mostGas && { skipL1Charging: true }),
    };
  });
}

/** Gas that a node of Arbitrum charges for the data of a call, with a margin of an eighth, or 0. */
function l1GasOf(data: Hex = '0x', pricePerUnit: bigint, baseFee: bigint): bigint {
  if (pricePerUnit === 0n || baseFee === 0n) return 0n;
  const units = 16n * (BigInt(size(data)) + dataOfTransaction);
  return (units * pricePerUnit * 9n) / (baseFee * 8n);
}

/** The cap that a refusal shows; undefined if the call was not refused for its gas limit. */
function capIn(reply: RpcReply | undefined, call: RpcCall): bigint | undefined {
  if (!reply || !('error' in reply)) return undefined;
  const { message } = reply.error;
  if (!refusesGas.test(message) || failedForGas.test(message)) return undefined;
  const highest = highestGas(call);
  const stated = [...message.matchAll(/\d[\d,_]*/g)].map(([text]) => BigInt(text.replace(/[,_]/g, '')));
  const cap = stated.find((value) => value >= leastCap && value < highest) ?? highest / 2n;
  return cap >= leastCap ? cap : undefined;
}

/** Nitro's precompile with Ethereum's gas price as the sequencer charges it: wei for each unit, 16 units a byte. */
export const l1PriceCall: RpcCall = {
  method: 'eth_call',
  params: [
    {
      to: '0x000000000000000000000000000000000000006c',
      data: encodeFunctionData({ abi: parseAbi(['function getL1BaseFeeEstimate() view returns (uint256)']) }),
    },
    'latest',
  ],
};

/** 0 where the chain has no such price. */
export function toL1Price(reply: RpcReply | undefined): bigint {
  const result = resultOf(reply);
  return typeof result === 'string' && /^0x[0-9a-f]{64}$/i.test(result) ? BigInt(result) : 0n;
}
