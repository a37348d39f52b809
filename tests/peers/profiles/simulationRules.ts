import { type JsonCall, type JsonReply, refusal } from './profileTypes.ts';

interface SimulatedBlock {
  stateOverrides?: unknown;
  blockOverrides?: Record<string, unknown>;
  calls?: unknown[];
}

/** Blocks of one simulation, filler blocks included (go-ethereum, maxSimulateBlocks). */
const maxBlocks = 256n;
const hex = (value: bigint) => `0x${value.toString(16)}`;

/**
 * Rewrites a simulation so that a lenient node executes it as geth would (internal/ethapi/simulate.go, sanitizeChain):
 * every block gets a number and a time, gaps are filled. Returns geth's error where it has one.
 *
 * @param base number and time of the block that the simulation starts from
 */
export function applySimulationRules(
  call: JsonCall,
  base: { number: bigint; timestamp: bigint },
  fillSeconds: number,
): JsonCall | JsonReply {
  const [payload, ...rest] = call.params as [{ blockStateCalls: SimulatedBlock[] }, ...unknown[]];
  const blocks: SimulatedBlock[] = [];
  let { number, timestamp } = base;
  const step = BigInt(fillSeconds);
  for (const block of payload.blockStateCalls) {
    const overrides = block.blockOverrides ?? {};
    const wanted = overrides.number === undefined ? number + 1n : BigInt(String(overrides.number));
    if (wanted <= number) return refusal(call, -38_020, `block numbers must be in order: ${wanted} <= ${number}`);
    if (wanted - base.number > maxBlocks) return refusal(call, -38_026, 'too many blocks');
    while (number + 1n < wanted) {
      number += 1n;
      timestamp += step;
      blocks.push({ blockOverrides: { number: hex(number), time: hex(timestamp) }, calls: [] });
    }
    const time = overrides.time === undefined ? timestamp + step : BigInt(String(overrides.time));
    if (time <= timestamp) {
      return refusal(call, -38_021, `block timestamps must be in order: ${time} <= ${timestamp}`);
    }
    number = wanted;
    timestamp = time;
    blocks.push({ ...block, blockOverrides: { ...overrides, number: hex(number), time: hex(time) } });
  }
  return { ...call, params: [{ ...payload, blockStateCalls: blocks }, ...rest] };
}
