import {
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  decodeFunctionResult,
  erc20Abi,
  type Hex,
  parseAbiParameters,
  size,
} from 'viem';
import { pairStandInArtifact } from '../../contracts/artifacts/lens/PairStandIn.ts';
import { walletStandInArtifact } from '../../contracts/artifacts/lens/WalletStandIn.ts';
import { type RpcCall, type RpcEndpoint, type RpcReply, toLowerAddress } from '../../engine/index.ts';

const abi = [...pairStandInArtifact.abi, ...walletStandInArtifact.abi] as const;

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
      const result = through && done ? unwrapResult(returnData) : returnData;
      const read = decode(data);
      const order = toOrder(data);
      if (read?.functionName === 'buy') {
        const leg = toLeg(blockStateCalls, to, order.row);
        const [, nominal, received] = done
          ? decodeFunctionResult({ abi, functionName: 'buy', data: result })
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
          ? decodeFunctionResult({ abi, functionName: 'sell', data: result })
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

const word = parseAbiParameters('uint256, address, address, address, uint256, int256, address');

/** The pool of a purchase: a row behind the code of the stand-in, named by its distance from the end. */
function toLeg(blocks: Simulation['blockStateCalls'], router: Address, fromEnd: number) {
  const code = blocks.flatMap(({ stateOverrides }) => stateOverrides?.[toLowerAddress(router)]?.code ?? [])[0] ?? '0x';
  const row: Hex = `0x${code.slice(-2 * fromEnd).slice(0, 640)}`;
  const [kind, pool, counter, token, fee, spacing, hooks] = decodeAbiParameters(word, row);
  return { token, pool: { kind: Number(kind), pool, counter, fee: Number(fee), spacing: Number(spacing), hooks } };
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
  const read = decode(data);
  return read?.functionName === 'execute' && read.args ? { to: read.args[0], data: read.args[2] } : undefined;
}

const same = (a: Address, b: Address) => a.toLowerCase() === b.toLowerCase();

function unwrapResult(data: Hex): Hex {
  return size(data) < 64 ? '0x' : decodeFunctionResult({ abi, functionName: 'execute', data });
}
