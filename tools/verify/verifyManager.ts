import { type Address, encodeAbiParameters, getAddress, type Hex, keccak256, zeroAddress } from 'viem';
import type { Deployment, VenueRow } from '../../engine/index.ts';
import type { ChainReader } from './chainReader.ts';
import { type Finding, findingFor } from './verifyTypes.ts';

type ManagerRow = Extract<VenueRow, { family: 'uniswap-v4' }>;

/** Storage slot of `_pools` in v4's PoolManager (StateLibrary.POOLS_SLOT). */
const poolsSlot = 6n;

/**
 * Checks a v4 manager: it has code, and pools of native currency and USD stables. Checks each hook: it has code, and
 * its `poolManager()`, if any, returns the manager. So must the position manager's.
 */
export async function verifyManager(
  reader: ChainReader,
  { venue, manager, positionManager, shapes }: ManagerRow,
  { pricingAssets }: Deployment,
): Promise<Finding[]> {
  const finding = findingFor(`${venue} ${getAddress(manager)}`);
  const code = await reader.hasCode(manager);
  if (code.status !== 'answered') return [finding('code', 'unread', code.why)];
  if (!code.value) return [finding('code', 'missing', 'no code at the manager')];
  const stables = pricingAssets.filter(({ usdStable }) => usdStable).map(({ address }) => address);
  const hookless = shapes.filter(({ hooks }) => hooks === undefined);
  const slots = await Promise.all(
    hookless.flatMap(({ fee, tickSpacing }) =>
      stables.map((stable) =>
        reader.call<Hex>(manager, 'extsload(bytes32) view returns (bytes32)', [stateSlotOf(stable, fee, tickSpacing)]),
      ),
    ),
  );
  const hooks = await Promise.all([
    ...shapes.flatMap(({ hooks }) => hooks ?? []).map((hook) => verifyManaged(reader, 'hook', hook, manager)),
    ...(positionManager ? [verifyManaged(reader, 'position manager', positionManager, manager)] : []),
  ]);
  const refused = slots.find((slot) => slot.status === 'refused');
  if (refused?.status === 'refused') return [finding('code', 'ok'), finding('pools', 'differs', refused.why), ...hooks];
  const open = slots.filter((slot) => slot.status === 'answered' && BigInt(slot.value) !== 0n).length;
  const unread = slots.find((slot) => slot.status === 'unread');
  if (open > 0)
    return [finding('code', 'ok'), finding('pools', 'ok', `${open} of native currency and stables`), ...hooks];
  if (unread?.status === 'unread') return [finding('code', 'ok'), finding('pools', 'unread', unread.why), ...hooks];
  return [finding('code', 'ok'), finding('pools', 'missing', 'none of native currency and stables'), ...hooks];
}

/** Storage slot of slot0 of a pool of native currency and a token without a hook. */
function stateSlotOf(token: Address, fee: number, tickSpacing: number): Hex {
  const address = { type: 'address' } as const;
  const id = keccak256(
    encodeAbiParameters(
      [address, address, { type: 'uint24' }, { type: 'int24' }, address],
      [zeroAddress, token, fee, tickSpacing, zeroAddress],
    ),
  );
  return keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint256' }], [id, poolsSlot]));
}

async function verifyManaged(
  reader: ChainReader,
  what: 'hook' | 'position manager',
  address: Address,
  manager: Address,
): Promise<Finding> {
  const finding = findingFor(`${what} ${getAddress(address)}`);
  const [code, answer] = await Promise.all([
    reader.hasCode(address),
    reader.call<Address>(address, 'poolManager() view returns (address)'),
  ]);
  if (code.status !== 'answered') return finding('code', 'unread', code.why);
  if (!code.value) return finding('code', 'missing', `no code at the ${what}`);
  if (answer.status === 'unread') return finding('poolManager()', 'unread', answer.why);
  if (answer.status === 'refused') return finding('code', 'ok', 'no poolManager()');
  return answer.value === getAddress(manager)
    ? finding('poolManager()', 'ok')
    : finding('poolManager()', 'differs', `returned ${answer.value}`);
}
