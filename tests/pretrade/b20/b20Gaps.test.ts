import { encodeFunctionResult, type Hex, multicall3Abi } from 'viem';
import { expect, test } from 'vitest';
import { createBatch } from '../../../engine/chain/batch.ts';
import { toLowerAddress } from '../../../engine/lowerAddress.ts';
import type { B20Facts } from '../../../engine/pretrade/b20/b20Facts.ts';
import { B20Ledger } from '../../../engine/pretrade/b20/b20Ledger.ts';
import { nothingKnown } from '../../../engine/pretrade/b20/readB20.ts';
import { weighB20 } from '../../../engine/pretrade/b20/weighB20.ts';
import { b20Roles } from '../../../engine/venues/b20/b20.ts';

// Reads that fail or return no word.

const token = toLowerAddress(`0xb2${'0'.repeat(20)}${'1'.repeat(18)}`);
const holder = toLowerAddress(`0x${'2'.repeat(40)}`);

test.each<Hex>(['0x', '0x01'])(
  'it is not known whether the factory created the token if it returns %s',
  (returnData) => {
    const ledger = new B20Ledger(token, undefined);
    const batch = createBatch();
    const result = encodeFunctionResult({
      abi: multicall3Abi,
      functionName: 'aggregate3',
      result: [{ success: true, returnData }],
    });
    ledger.addTo({ ...batch, add: () => () => [{ result }] }, 'latest', nothingKnown);
    ledger.settle();
    expect(ledger.isCreated).toBeUndefined();
  },
);

const facts = (policies: Partial<B20Facts['policies']>, role: Hex): B20Facts => ({
  created: true,
  variant: 'asset',
  paused: { TRANSFER: false, MINT: false, BURN: false, SEIZE: false },
  supplyCap: 1n,
  multiplier: 1n,
  holders: new Map([[role, [holder]]]),
  adminRoles: {} as B20Facts['adminRoles'],
  policies: {
    TRANSFER_EXECUTOR_POLICY: null,
    TRANSFER_SENDER_POLICY: null,
    TRANSFER_RECEIVER_POLICY: null,
    MINT_RECEIVER_POLICY: null,
    SEIZE_EXEMPT_POLICY: null,
    ...policies,
  },
  roleGap: null,
});

test.each([
  ['SEIZE_ROLE', 'SEIZE_EXEMPT_POLICY'],
  ['BURN_BLOCKED_ROLE', 'TRANSFER_SENDER_POLICY'],
] as const)(
  'without an admin, a holder of %s is harmless if %s is open, and unknown if it was not read',
  (role, scope) => {
    expect(weighB20(facts({}, b20Roles[role]), 1n, []).canSeize.value).toBe(false);
    const { value, why } = weighB20(facts({ [scope]: undefined }, b20Roles[role]), 1n, []).canSeize;
    expect(value).toBeNull();
    expect(why).toBe(`policyId(${scope}) could not be read`);
  },
);
