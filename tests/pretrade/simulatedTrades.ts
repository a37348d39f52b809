import {
  type Address,
  decodeFunctionData,
  decodeFunctionResult,
  erc20Abi,
  getAddress,
  type Hex,
  hexToNumber,
  slice,
  toFunctionSelector,
} from 'viem';
import { pairStandInArtifact } from '../../contracts/artifacts/lens/PairStandIn.ts';
import { type RpcCall, type RpcEndpoint, type RpcReply, toLowerAddress } from '../../engine/index.ts';

const { abi } = pairStandInArtifact;

/** One step of a simulation as the node executed it. Amounts are base units; null where the step was refused. */
export type SimulatedStep =
  | { what: 'buy'; amount: bigint; received: bigint | null; nominal: bigint }
  | { what: 'sell'; seller: Address; bps: bigint; sent: bigint | null; received: bigint }
  | { what: 'approve'; by: Address }
  | { what: 'transfer'; to: Address; amount: bigint; done: boolean };

/** One `eth_simulateV1` of the engine, read from the wire. */
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

/** Passes everything on, and keeps the simulations with what the node made of them. */
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

/** Undefined when the node refused the simulation or nothing was bought in it. */
export function toSimulatedTrade({ call, reply }: { call: RpcCall; reply: RpcReply }): SimulatedTrade | undefined {
  if (!('result' in reply)) return undefined;
  const { blockStateCalls } = call.params[0] as Simulation;
  let trade: SimulatedTrade | undefined;
  // Block 0 only copies the router's code.
  for (const [index, { number, timestamp, calls }] of (reply.result as Simulated).slice(1).entries()) {
    const steps: SimulatedStep[] = [];
    for (const [at, { status, returnData }] of calls.entries()) {
      const asked = blockStateCalls[index + 1]?.calls[at];
      if (!asked) throw new TypeError('The node answered a call that was not asked.');
      const through = unwrap(asked.data);
      const { to, data } = through ?? asked;
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
          trader: through ? asked.to : asked.from,
          byContract: through !== undefined,
          gasPrice: BigInt(asked.gasPrice ?? '0x0'),
          blocks: [],
        };
        steps.push({ what: 'buy', amount: order.value, nominal, received });
      } else if (read?.functionName === 'sell') {
        const seller = through ? asked.to : asked.from;
        const [sent, , , received] = done
          ? decodeFunctionResult({ abi, functionName: 'sell', data: returnData })
          : [null, 0n, 0n, 0n];
        steps.push({ what: 'sell', seller, bps: order.value, sent, received });
      } else if (data.startsWith('0x095ea7b3')) {
        steps.push({ what: 'approve', by: asked.from });
      } else if (trade && same(to, trade.token) && data.startsWith('0xa9059cbb')) {
        const { args } = decodeFunctionData({ abi: erc20Abi, data });
        const [to, amount] = args as readonly [Address, bigint];
        steps.push({ what: 'transfer', to, amount, done });
      } else if (
        read?.functionName !== 'balanceOf' &&
        trade &&
        same(asked.to, trade.token) &&
        !data.startsWith('0x18160ddd')
      ) {
        // A call of an owner's power, not a trade.
        return undefined;
      }
    }
    trade?.blocks.push({ number: BigInt(number), timestamp: BigInt(timestamp), steps });
  }
  return trade;
}

/** The pool of a purchase: a row behind the code of the stand-in, named by its distance from the end. */
function toLeg(blocks: Simulation['blockStateCalls'], router: Address, fromEnd: number) {
  const code = blocks.flatMap(({ stateOverrides }) => stateOverrides?.[toLowerAddress(router)]?.code ?? [])[0] ?? '0x';
  const row: Hex = `0x${code.slice(-2 * fromEnd)}`;
  const number = (from: number, to: number) => hexToNumber(slice(row, from, to));
  const address = (from: number) => getAddress(slice(row, from, from + 20));
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
