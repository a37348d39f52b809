import { type Address, decodeAbiParameters, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { multicall3, type VenueRow } from '../../engine/index.ts';
import type { Answer, ChainReader } from './chainReader.ts';
import type { CreateFinding, Finding } from './verifyTypes.ts';

const tierAbi = parseAbi(['function feeAmountTickSpacing(uint24) view returns (int24)']);

/** Fees that a factory's governance may have enabled. A factory cannot list its fees, so these are tried. */
const otherFees = [
  ...steps(10, 1_000, 10),
  ...steps(1_050, 10_000, 50),
  ...steps(11_000, 50_000, 1_000),
  ...[1, 5, 25, 35, 75, 85],
];

/** Checks that the factory has exactly the row's fee tiers or tick spacings. Families without tiers have no finding. */
export async function verifyTiers(reader: ChainReader, row: VenueRow, finding: CreateFinding): Promise<Finding[]> {
  if (row.family !== 'uniswap-v3') return [];
  const [expected, answer] =
    'fees' in row
      ? [row.fees, await readEnabledFees(reader, row.factory, [...new Set([...row.fees, ...otherFees])])]
      : [row.tickSpacings, await readSpacings(reader, row.factory)];
  if (answer.status === 'unread') return [finding('tiers', 'unread', answer.why)];
  if (answer.status === 'refused') return [finding('tiers', 'differs', answer.why)];
  const extra = answer.value.filter((tier) => !expected.includes(tier));
  if (extra.length > 0) return [finding('tiers', 'differs', `the factory also has ${extra.join(', ')}`)];
  const absent = expected.filter((tier) => !answer.value.includes(tier));
  if (absent.length > 0) return [finding('tiers', 'missing', `the factory has no ${absent.join(', ')}`)];
  return [finding('tiers', 'ok', expected.join(', '))];
}

async function readSpacings(reader: ChainReader, factory: Address): Promise<Answer<readonly number[]>> {
  return reader.call<readonly number[]>(factory, 'tickSpacings() view returns (int24[])');
}

/** The fees among `fees` that the factory has enabled, read in one call. */
async function readEnabledFees(reader: ChainReader, factory: Address, fees: number[]): Promise<Answer<number[]>> {
  const calls = fees.map((fee) => ({
    target: factory,
    allowFailure: true,
    callData: encodeFunctionData({ abi: tierAbi, args: [fee] }),
  }));
  const answer = await reader.call<readonly { success: boolean; returnData: Hex }[]>(
    multicall3,
    'aggregate3((address target, bool allowFailure, bytes callData)[]) view returns ((bool success, bytes returnData)[])',
    [calls],
  );
  if (answer.status === 'refused') return { status: 'unread', why: `Multicall3: ${answer.why}` };
  if (answer.status === 'unread') return answer;
  if (answer.value.some(({ success, returnData }) => !success || returnData.length !== 66)) {
    return { status: 'refused', why: 'no feeAmountTickSpacing(uint24)' };
  }
  const spacings = answer.value.map(({ returnData }) => decodeAbiParameters([{ type: 'int24' }], returnData)[0]);
  return { status: 'answered', value: fees.filter((_, index) => spacings[index] !== 0) };
}

function steps(from: number, to: number, by: number): number[] {
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, index) => from + index * by);
}
