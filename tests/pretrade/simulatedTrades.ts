import {
  type Address,
  decodeFunctionData,
  decodeFunctionResult,
  erc20Abi,
  getAddress,
  type Hex,
  hexToNumber,
  size,
  slice,
  toFunctionSelector,
  zeroAddress,
} from 'viem';
import { pairStandInArtifact } from '../../contracts/artifacts/lens/PairStandIn.ts';
import { type RpcCall, type RpcEndpoint, type RpcReply, toLowerAddress } from '../../engine/index.ts';

const { abi } = pairStandInArtifact;

/** One step of a simulation as the node executed it. Amounts are base units; null where the step was refused. */
export type SimulatedStep =
  | { action: 'buy'; amount: bigint; received: bigint | null; nominal: bigint }
  | { action: 'sell'; seller: Address; bps: bigint; sent: bigint | null; received: bigint }
  | { action: 'approve'; by: Address }
  | { action: 'transfer'; to: Address; amount: bigint; done: boolean };

/** One `eth_simulateV1` call of the engine and its reply, decoded. */
export interface SimulatedTrade {
  token: Address;
  pool: { kind: number; pool: Address; counter: Address; fee: number; spacing: number; hooks: Address };
  trader: Address;
  byContract: boolean;
  gasPrice: bigint;
  blocks: { number: bigint; timestamp: bigint; steps: SimulatedStep[] }[];
}

interface Simulation {
  blockStateCalls: {
    stateOverrides?: Record<Address, { code?: Hex }>;
    calls: { from: Address; to: Address; gasPrice?: Hex; data: Hex }[];
  }[];
}
type Simulated = { number: Hex; timestamp: Hex; calls: { status: Hex; returnData: Hex }[] }[];

/** Forwards every call, and records simulations with their replies. */
export function recordSimulations(
  inner: RpcEndpoint,
): RpcEndpoint & { recorded: { call: RpcCall; reply: RpcReply }[] } {
  const recorded: { call: RpcCall; reply: RpcReply }[] = [];
  return {
    label: inner.label,
    recorded,
    async send(calls, options) {
      const replies = await inner.send(calls, options);
      for (const [index, call] of calls.entries()) {
        const reply = replies[index];
        if (call.method === 'eth_simulateV1' && reply) recorded.push({ call, reply });
      }
      return replies;
    },
  };
}

/** Undefined if the node refused the simulation, or it contains no purchase or a call of an owner function. */
export function toSimulatedTrade({ call, reply }: { call: RpcCall; reply: RpcReply }): SimulatedTrade | undefined {
  if (!('result' in reply)) return undefined;
  const { blockStateCalls } = call.params[0] as Simulation;
  let trade: SimulatedTrade | undefined;
  // Block 0 only copies the router's code.
  for (const [index, { number, timestamp, calls }] of (reply.result as Simulated).slice(1).entries()) {
    const steps: SimulatedStep[] = [];
    for (const [at, { status, returnData }] of calls.entries()) {
      const sent = blockStateCalls[index + 1]?.calls[at];
      if (!sent) throw new TypeError('The reply contains a call that was not sent.');
      const forwarded = unwrap(sent.data);
      const { to, data } = forwarded ?? sent;
      const done = status === '0x1';
      const read = decode(data);
      const order = toOrder(data);
      if (read?.functionName === 'buy') {
        const leg = toLeg(blockStateCalls, to, order.row);
        const [, nominal, received] = done
          ? decodeFunctionResult({ abi, functionName: 'buy', data: returnData })
          : [0n, 0n, null];
        trade ??= {
          ...leg,
          trader: forwarded ? sent.to : sent.from,
          byContract: forwarded !== undefined,
          gasPrice: BigInt(sent.gasPrice ?? '0x0'),
          blocks: [],
        };
        steps.push({ action: 'buy', amount: order.value, nominal, received });
      } else if (read?.functionName === 'sell') {
        const seller = forwarded ? sent.to : sent.from;
        const [sold, , , received] = done
          ? decodeFunctionResult({ abi, functionName: 'sell', data: returnData })
          : [null, 0n, 0n, 0n];
        steps.push({ action: 'sell', seller, bps: order.value, sent: sold, received });
      } else if (data.startsWith('0x095ea7b3')) {
        steps.push({ action: 'approve', by: sent.from });
      } else if (trade && same(to, trade.token) && data.startsWith('0xa9059cbb')) {
        const { args } = decodeFunctionData({ abi: erc20Abi, data });
        const [to, amount] = args as readonly [Address, bigint];
        steps.push({ action: 'transfer', to, amount, done });
      } else if (
        read?.functionName !== 'balanceOf' &&
        trade &&
        same(sent.to, trade.token) &&
        !data.startsWith('0x18160ddd')
      ) {
        // A call of an owner function, not a trade.
        return undefined;
      }
    }
    // Blocks between two moments have no steps.
    if (steps.length > 0) trade?.blocks.push({ number: BigInt(number), timestamp: BigInt(timestamp), steps });
  }
  return trade;
}

/** The token and pool of a purchase: a row after the stand-in's code, `fromEnd` bytes before its end. */
function toLeg(blocks: Simulation['blockStateCalls'], router: Address, fromEnd: number) {
  const code = blocks.flatMap(({ stateOverrides }) => stateOverrides?.[toLowerAddress(router)]?.code ?? [])[0] ?? '0x';
  const row: Hex = `0x${code.slice(-2 * fromEnd)}`;
  const number = (from: number, to: number) => hexToNumber(slice(row, from, to));
  // Rows of pools without a singleton end after the token.
  const address = (from: number) => (from < size(row) ? getAddress(slice(row, from, from + 20)) : zeroAddress);
  const spacing = (number(4, 7) << 8) >> 8;
  const pool = {
    kind: number(0, 1),
    pool: address(7),
    counter: address(27),
    fee: number(1, 4),
    spacing,
    hooks: address(67),
  };
  return { token: address(47), pool };
}

/** The calldata of a stand-in: two bytes for the row, the rest is the value. */
function toOrder(data: Hex): { row: number; value: bigint } {
  return { row: Number(`0x0${data.slice(10, 14)}`), value: BigInt(`0x0${data.slice(14)}`) };
}

function decode(data: Hex) {
  try {
    return decodeFunctionData({ abi, data });
  } catch {
    return undefined;
  }
}

/** The call that a contract wallet executes. */
function unwrap(data: Hex): { to: Address; data: Hex } | undefined {
  if (!data.startsWith(toFunctionSelector('execute()'))) return undefined;
  return { to: getAddress(slice(data, 4, 24)), data: slice(data, 24) };
}

const same = (a: Address, b: Address) => a.toLowerCase() === b.toLowerCase();
