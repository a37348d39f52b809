import { type Address, type Hex, isHex } from 'viem';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import type { CodeFacts } from '../tokenMemory.ts';

/** Whom a token's own events name as holders of a role (OpenZeppelin's AccessControl); `unread`: the node refused the logs. */
export type RoleHolders = { status: 'read'; addresses: Address[] } | { status: 'unread' };

/** RoleGranted(bytes32 indexed role, address indexed account, address indexed sender) */
const roleGranted = '0x2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d';
/** hasRole(bytes32,address) */
const hasRole = '0x91d14854';
const mostHolders = 4;

/** One call: all roles that the token ever gave. A role that was taken back since is tried in vain, which costs nothing. */
export function toRoleCall(token: Address): RpcCall {
  const filter = { address: token, topics: [roleGranted], fromBlock: '0x0', toBlock: 'latest' };
  return { method: 'eth_getLogs', params: [filter] };
}

/** The admins of all roles first, and who came last before who came first. */
export function fromRoleReply(reply: RpcReply | undefined): RoleHolders {
  if (!reply || 'error' in reply || !Array.isArray(reply.result)) return { status: 'unread' };
  const grants = reply.result.flatMap((log: { topics?: unknown }) => {
    const [topic, role, account] = Array.isArray(log?.topics) ? log.topics : [];
    if (topic !== roleGranted || !isWord(role) || !isWord(account)) return [];
    return [{ isAdmin: BigInt(role) === 0n, address: `0x${account.slice(26)}`.toLowerCase() as Address }];
  });
  const sorted = grants.reverse().sort((a, b) => Number(b.isAdmin) - Number(a.isAdmin));
  return { status: 'read', addresses: [...new Set(sorted.map(({ address }) => address))].slice(0, mostHolders) };
}

/** `0x` alone is hex, and no word. */
const isWord = (value: unknown): value is Hex => isHex(value) && value.length === 66;

/** Whether the code gives powers by role, so that its owner is not all that there is to try. */
export function knowsRoles(code: CodeFacts | undefined): boolean {
  return code?.functions?.some(({ selector }) => selector === hasRole) ?? false;
}
