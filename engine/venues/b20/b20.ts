import { type Hex, parseAbi, stringToHex } from 'viem';
import { keccak256 } from '../../keccak256.ts';
import type { LowerAddress } from '../../lowerAddress.ts';

/** Base's precompiles of the B20 token standard. Sources: docs.base.org/specifications/b20, base/base-std (v2.0.0). */
export const b20Singletons = {
  factory: '0xb20f000000000000000000000000000000000000',
  policyRegistry: '0x8453000000000000000000000000000000000002',
  activationRegistry: '0x8453000000000000000000000000000000000001',
} as const satisfies Record<string, LowerAddress>;

/** The code that a node returns for every B20 token. No contract can have it (EIP-3541). */
export const b20Marker: Hex = '0xef';

const b20Variants = ['asset', 'stablecoin'] as const;
export type B20Variant = (typeof b20Variants)[number];

/** Operations that can be paused, by their number in `isPaused`. */
export const b20Features = ['TRANSFER', 'MINT', 'BURN', 'SEIZE'] as const;
export type B20Feature = (typeof b20Features)[number];

/** Built-in roles with a part in a conclusion. */
export const b20RoleNames = [
  'DEFAULT_ADMIN_ROLE',
  'MINT_ROLE',
  'BURN_ROLE',
  'BURN_BLOCKED_ROLE',
  'SEIZE_ROLE',
  'PAUSE_ROLE',
  'UNPAUSE_ROLE',
  'OPERATOR_ROLE',
] as const;
export type B20Role = (typeof b20RoleNames)[number];

/**
 * Policy scopes of a token. The executor policy applies to the caller of every transfer since Denim. An account that the
 * seize policy does not authorize can be seized.
 */
export const b20ScopeNames = [
  'TRANSFER_EXECUTOR_POLICY',
  'TRANSFER_SENDER_POLICY',
  'TRANSFER_RECEIVER_POLICY',
  'MINT_RECEIVER_POLICY',
  'SEIZE_EXEMPT_POLICY',
  'SEIZE_RECEIVER_POLICY',
] as const;
export type B20Scope = (typeof b20ScopeNames)[number];

const toIds = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, keccak256(stringToHex(name))])) as Record<Name, Hex>;

/** Identifiers of the roles; OpenZeppelin's default admin role is zero. */
export const b20Roles: Readonly<Record<B20Role, Hex>> = {
  ...toIds(b20RoleNames),
  DEFAULT_ADMIN_ROLE: `0x${'0'.repeat(64)}`,
};
export const b20Scopes: Readonly<Record<B20Scope, Hex>> = toIds(b20ScopeNames);

/** Supply cap of a token without a limit. */
export const noSupplyCap = 2n ** 128n - 1n;
/** Multiplier of an asset that was never rebased. */
export const unitMultiplier = 10n ** 18n;

/** Policy that authorizes every account: the default of each scope. */
export const alwaysAllow = 0n;
/** Policy that authorizes no account. */
const alwaysBlock = (1n << 56n) | 1n;
/** A policy id with this bit returns the opposite of the policy without it. */
const invertedBit = 1n << 63n;

const policyKinds = ['blocklist', 'allowlist', 'union', 'intersection'] as const;
export type PolicyKind = (typeof policyKinds)[number] | 'unknown';

/** Kind of a policy by its id; `inverted` if the id means the opposite of that policy. */
export function policyKindOf(id: bigint): { kind: PolicyKind; inverted: boolean } {
  const inverted = (id & invertedBit) !== 0n;
  return { kind: policyKinds[Number((id & ~invertedBit) >> 56n)] ?? 'unknown', inverted };
}

/** Whether no account can change what this policy decides. */
export const isBuiltIn = (id: bigint): boolean => [alwaysAllow, alwaysBlock].includes(id & ~invertedBit);

/** Whether an address has the shape of a B20 token. It has it before the factory creates the token too. */
export const hasB20Shape = (address: LowerAddress): boolean => /^0xb2(00){9}/.test(address);

/** The variant in byte 10 of the address; undefined for a variant of a later upgrade. */
export const b20VariantOf = (address: LowerAddress): B20Variant | undefined =>
  b20Variants[Number.parseInt(address.slice(22, 24), 16)];

/** Functions of the factory, the token and the policy registry. */
export const b20Abi = parseAbi([
  'function isB20Initialized(address) view returns (bool)',
  'function isPaused(uint8) view returns (bool)',
  'function supplyCap() view returns (uint256)',
  'function multiplier() view returns (uint256)',
  'function getRoleAdmin(bytes32) view returns (bytes32)',
  'function hasRole(bytes32, address) view returns (bool)',
  'function policyId(bytes32) view returns (uint64)',
  'function mint(address, uint256)',
  'function policyAdmin(uint64) view returns (address)',
  'function pendingPolicyAdmin(uint64) view returns (address)',
  'function compositePolicyChildIds(uint64) view returns (uint64[])',
  'function isAuthorized(uint64, address) view returns (bool)',
]);
