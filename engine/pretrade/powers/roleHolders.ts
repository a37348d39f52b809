import { type Hex, isHex, numberToHex } from 'viem';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import type { CodeFacts } from '../bytecode/codeMemory.ts';

/**
 * Accounts in the token's own events: holders of a role (OpenZeppelin's AccessControl), and all owners, the deployer first.
 * `truncated`: more accounts got a role than are listed. `unread`: the node refused the logs.
 */
export type RoleHolders =
  | { status: 'read'; addresses: LowerAddress[]; owners: LowerAddress[]; truncated: boolean }
  | { status: 'unread' };

/** RoleGranted(bytes32 indexed role, address indexed account, address indexed sender) */
const roleGranted = '0x2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d';
/** OwnershipTransferred(address indexed previousOwner, address indexed newOwner) */
const ownershipTransferred = '0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0';
/** hasRole(bytes32,address) */
const hasRole = '0x91d14854';
/** Maximum number of role holders, all of which are tried. Tokens rarely have more. */
const maxHolders = 8;
/** Maximum number of owners. More than a scan tries, so that it can report that some were left out. */
const maxOwners = 16;

/** Reads all roles and owners since a block. Revoked roles are included: trying their former holders does no harm. */
export function toRoleCall(token: LowerAddress, from = 0n): RpcCall {
  const filter = {
    address: token,
    topics: [[roleGranted, ownershipTransferred]],
    fromBlock: numberToHex(from),
    toBlock: 'latest',
  };
  return { method: 'eth_getLogs', params: [filter] };
}

/** The first admin, then other admins, then other role holders; within both groups the latest first. */
export function fromRoleReply(reply: RpcReply | undefined): RoleHolders {
  if (!reply || 'error' in reply || !Array.isArray(reply.result)) return { status: 'unread' };
  const events = reply.result.flatMap((log: { topics?: unknown }) => {
    const [topic, first, second] = Array.isArray(log?.topics) ? log.topics : [];
    return isWord(first) && isWord(second) ? [{ topic, first, second }] : [];
  });
  const grants = events
    .filter(({ topic }) => topic === roleGranted)
    .map(({ first, second }) => ({ isAdmin: BigInt(first) === 0n, address: toAddress(second) }));
  const firstAdmin = grants.find(({ isAdmin }) => isAdmin);
  const latestFirst = [...grants].reverse().sort((a, b) => Number(b.isAdmin) - Number(a.isAdmin));
  const owners = events
    .filter(({ topic }) => topic === ownershipTransferred)
    .flatMap(({ first, second }) => [toAddress(first), toAddress(second)])
    .filter((address) => BigInt(address) !== 0n);
  return {
    status: 'read',
    ...toHolders([...(firstAdmin ? [firstAdmin] : []), ...latestFirst].map(({ address }) => address)),
    owners: [...new Set(owners)].slice(0, maxOwners),
  };
}

function toHolders(
  addresses: readonly LowerAddress[],
  wasTruncated = false,
): { addresses: LowerAddress[]; truncated: boolean } {
  const all = [...new Set(addresses)];
  return { addresses: all.slice(0, maxHolders), truncated: wasTruncated || all.length > maxHolders };
}

/**
 * Merges later grants into earlier ones; the first admin stays first. A failed read leaves a gap, so the next check reads
 * all logs again.
 */
export function addRoles(earlier: RoleHolders, later: RoleHolders | undefined): RoleHolders {
  if (!later || earlier.status !== 'read') return earlier;
  if (later.status !== 'read') return later;
  const [first, ...others] = earlier.addresses;
  return {
    status: 'read',
    ...toHolders([...(first ? [first] : []), ...later.addresses, ...others], earlier.truncated || later.truncated),
    owners: [...new Set([...earlier.owners, ...later.owners])].slice(0, maxOwners),
  };
}

/**
 * Role holders after this read. Logs of code without roles are read only once, so after a change of code the later grants
 * are missing: `unread` makes the next check read all of them.
 */
export function recallRoles(
  memory: { roles: RoleHolders; code: Pick<CodeFacts, 'analysedHash'> } | undefined,
  code: Pick<CodeFacts, 'analysedHash'> | undefined,
  later: RoleHolders | undefined,
): RoleHolders {
  if (memory?.roles.status !== 'read') return later ?? { status: 'unread' };
  if (code?.analysedHash !== memory.code.analysedHash) return { status: 'unread' };
  return addRoles(memory.roles, later);
}

const toAddress = (word: Hex) => toLowerAddress(`0x${word.slice(26)}`);

const isWord = (value: unknown): value is Hex => isHex(value) && value.length === 66;

/** Whether the code has roles, so that role holders have to be tried beside the owner. */
export function knowsRoles(code: CodeFacts | undefined): boolean {
  return code?.functions?.some(({ selector }) => selector === hasRole) ?? false;
}
