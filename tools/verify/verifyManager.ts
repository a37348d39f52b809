import { type Address, encodeAbiParameters, getAddress, type Hex, keccak256, zeroAddress } from 'viem';
import type { Deployment, VenueRow } from '../../engine/index.ts';
import type { ChainReader } from './chainReader.ts';
import { type Finding, judgeOf } from './verifyTypes.ts';

type ManagerRow = Extract<VenueRow, { family: 'uniswap-v4' }>;

/** `_pools` of v4's PoolManager (StateLibrary.POOLS_SLOT). */
const poolsSlot = 6n;

/**
 * v4: the manager has code and keeps pools of native currency against the stables; each hook has code and names the
 * manager.
 */
export async function verifyManager(
  reader: ChainReader,
  { venue, manager, shapes }: ManagerRow,
  { pricingAssets }: Deployment,
): Promise<Finding[]> {
  const judge = judgeOf(`${venue} ${getAddress(manager)}`);
  const code = await reader.hasCode(manager);
  if (code.status !== 'answered') return [judge('code', 'unread', code.why)];
  if (!code.value) return [judge('code', 'missing', 'no code at the manager')];
  const stables = pricingAssets.filter(({ usdStable }) => usdStable).map(({ address }) => address);
  const hookless = shapes.filter(({ hooks }) => hooks === undefined);
  const slots = await Promise.all(
    hookless.flatMap(({ fee, tickSpacing }) =>
      stables.map((stable) =>
        reader.call<Hex>(manager, 'extsload(bytes32) view returns (bytes32)', [stateSlotOf(stable, fee, tickSpacing)]),
      ),
    ),
  );
  const hooks = await Promise.all(
    shapes.flatMap(({ hooks }) => hooks ?? []).map((hook) => verifyHook(reader, hook, manager)),
  );
  const refused = slots.find((slot) => slot.status === 'refused');
  if (refused?.status === 'refused') return [judge('code', 'ok'), judge('pools', 'differs', refused.why), ...hooks];
  const open = slots.filter((slot) => slot.status === 'answered' && BigInt(slot.value) !== 0n).length;
  const unread = slots.find((slot) => slot.status === 'unread');
  if (open > 0) return [judge('code', 'ok'), judge('pools', 'ok', `${open} of native currency and stables`), ...hooks];
  if (unread?.status === 'unread') return [judge('code', 'ok'), judge('pools', 'unread', unread.why), ...hooks];
  return [judge('code', 'ok'), judge('pools', 'missing', 'none of native currency and stables'), ...hooks];
}

/** Where the manager keeps slot0 of a hookless pool of native currency and a token. */
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

async function verifyHook(reader: ChainReader, hook: Address, manager: Address): Promise<Finding> {
  const judge = judgeOf(`hook ${getAddress(hook)}`);
  const [code, said] = await Promise.all([
    reader.hasCode(hook),
    reader.call<Address>(hook, 'poolManager() view returns (address)'),
  ]);
  if (code.status !== 'answered') return judge('code', 'unread', code.why);
  if (!code.value) return judge('code', 'missing', 'no code at the hook');
  if (said.status === 'unread') return judge('poolManager()', 'unread', said.why);
  if (said.status === 'refused') return judge('code', 'ok', 'names no manager');
  return said.value === getAddress(manager)
    ? judge('poolManager()', 'ok')
    : judge('poolManager()', 'differs', `says ${said.value}`);
}
