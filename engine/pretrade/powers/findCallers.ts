import type { LowerAddress } from '../../lowerAddress.ts';
import type { CodeFacts } from '../bytecode/codeMemory.ts';
import { isBurnAddress, ownerOf } from '../context/ownership.ts';
import type { ExitReading } from '../exit/exitTypes.ts';
import type { PowerCaller } from '../pretradePorts.ts';
import { routerAddresses } from '../simulation/routers.ts';
import type { SimulationBase, TradePlan } from '../simulation/simulationTypes.ts';
import type { Waits } from '../simulation/waiting.ts';
import type { RoleHolders } from './roleHolders.ts';

/** A token whose owner functions are tried. */
export interface PowerSubject {
  token: LowerAddress;
  code: CodeFacts | undefined;
  exit: ExitReading;
  /** Accounts without code in the token's storage, where an owner may remain after renouncing. Undefined: not read. */
  accounts: readonly LowerAddress[] | undefined;
  roles: RoleHolders;
  /** Creators that vendors returned in this check. Stored ones are loaded by the memory. */
  creators?: readonly LowerAddress[];
  plan: TradePlan | undefined;
  /** Whether an ordinary wallet could trade in this pretrade check; undefined if not simulated yet. */
  tradable: boolean | undefined;
  base: SimulationBase;
  /** As in `TokenReading.othersWait`: whether the simulations of owner functions wait for blocks. */
  waits: Waits;
  wrapped: LowerAddress;
}

export interface Caller {
  role: PowerCaller;
  address: LowerAddress;
}

/** SuperchainTokenBridge of OP Stack chains, which ERC-7802 tokens allow to mint and burn. */
const tokenBridge: LowerAddress = '0x4200000000000000000000000000000000000028';
/** Maximum number of accounts of each kind that are tried. */
const limits = { formerOwners: 3, inCode: 8, inStorage: 5 };

/**
 * The accounts that may have powers, the likeliest first.
 *
 * @returns `areCallersMissing` if some were left out or could not be read: then a scan cannot rule out a power
 */
export function findCallers(
  subject: PowerSubject & { code: NonNullable<PowerSubject['code']> },
  creators: readonly LowerAddress[],
): { callers: Caller[]; areCallersMissing: boolean } {
  const { code, exit, accounts, roles } = subject;
  const owner = ownerOf(exit);
  const admin = code.proxy.status === 'proxy' ? code.proxy.admin : null;
  const callers: Caller[] = [];
  let areCallersMissing = accounts === undefined || roles.status !== 'read' || roles.truncated;
  const add = (role: PowerCaller, addresses: readonly LowerAddress[], limit = addresses.length) => {
    const found = addresses.filter(
      (address) => !isBurnAddress(address) && !callers.some((caller) => caller.address === address),
    );
    callers.push(...found.slice(0, limit).map((address) => ({ role, address })));
    if (found.length > limit) areCallersMissing = true;
  };
  const coded = codedAccounts(subject);
  if (coded.isTruncated) areCallersMissing = true;
  add('owner', owner ? [owner] : []);
  add('proxy-admin', admin ? [admin] : []);
  add('creator', [...new Set(creators)]);
  add('role holder', roles.status === 'read' ? roles.addresses : []);
  add('former owner', formerOwnersOf(roles, owner), limits.formerOwners);
  add('bridge predeploy', coded.addresses.includes(tokenBridge) ? [tokenBridge] : []);
  add('account in code', coded.addresses, limits.inCode);
  add('account in storage', accounts ?? [], limits.inStorage);
  return { callers, areCallersMissing };
}

/** Earlier owners of the token without the present one, the earliest first. */
export function formerOwnersOf(roles: RoleHolders, owner: LowerAddress | undefined): LowerAddress[] {
  if (roles.status !== 'read') return [];
  return roles.owners.filter((address) => address !== owner && !isBurnAddress(address));
}

/** Addresses in the code that may be accounts with powers: all constants except pools, routers and assets. */
function codedAccounts({ token, code, exit, wrapped }: Parameters<typeof findCallers>[0]): {
  addresses: LowerAddress[];
  isTruncated: boolean;
} {
  const { constants, areConstantsTruncated, proxy } = code;
  const pools = exit.exits.flatMap(({ pool, counter, hooks }) => [pool, counter, hooks]);
  const bases = exit.bases.map((base) => base.token);
  const implementation = proxy.status === 'proxy' && proxy.implementation ? [proxy.implementation] : [];
  const known = new Set([token, wrapped, ...implementation, ...pools, ...bases, ...routerAddresses]);
  return { addresses: constants.filter((address) => !known.has(address)), isTruncated: areConstantsTruncated };
}
