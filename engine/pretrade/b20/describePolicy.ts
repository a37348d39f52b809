import { getAddress } from 'viem';
import type { B20Policy } from './b20Facts.ts';

/** A policy by kind, id and admin. Any number of tokens may use the same one, so the admin's changes affect them all. */
export function describePolicy(policy: B20Policy): string {
  const { id, kind, inverted, lists = [] } = policy;
  if ((id & 0xff_ffff_ffff_ffffn) < 2n) return `the built-in policy ${id}, which no one can change`;
  const of = lists.length > 0 ? ` of ${lists.map(describePolicy).join(' and ')}` : '';
  return `the shared ${inverted ? 'inverted ' : ''}${kind} ${id}${of}, ${describeAdmin(policy)}`;
}

function describeAdmin({ admin, pending }: B20Policy): string {
  if (admin === undefined) return 'whose admin could not be read';
  if (admin === null) return 'which no longer has an admin';
  const next = pending ? `, soon ${getAddress(pending)}` : '';
  return `whose admin ${getAddress(admin)}${next} can change it for every token that uses it`;
}
