import { type Address, type Hex, isAddress, isHex } from 'viem';
import { z } from 'zod';
import { chainLabels, rpcBudgetVariables, rpcUrlVariables } from './chainVariables.ts';
import { facilitatorVariables } from './facilitatorVariables.ts';
import { solanaVariables } from './solanaVariables.ts';
import { variableFacts } from './variableFacts.ts';
import { vendorVariables } from './vendorVariables.ts';

const secp256k1Order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const privateKey = z.custom<Hex>(
  (key) =>
    typeof key === 'string' &&
    /^0x[0-9a-fA-F]{64}$/.test(key) &&
    isHex(key) &&
    BigInt(key) > 0n &&
    BigInt(key) < secp256k1Order,
  'must be a private key: 0x and 64 hexadecimal digits',
);

const payTo = z.custom<Address>(
  (address) => typeof address === 'string' && isAddress(address) && BigInt(address) > 0n,
  'must be an address (with a valid checksum if in mixed case), not the zero address',
);

/** Variables that live mode adds to the common ones. */
export const liveVariables = vendorVariables.extend({
  ...solanaVariables.shape,
  ...facilitatorVariables.shape,
  ...rpcUrlVariables,
  ...rpcBudgetVariables,
  DATABASE_URL: z
    .string()
    .refine(isPostgresUrl, 'must be a PostgreSQL URL: postgres://user:password@host:5432/database')
    .refine(
      hasPlainHost,
      'contains a reserved character in the user name or password: write @ as %40, / as %2F, ? as %3F and # as %23',
    )
    .optional()
    .register(variableFacts, {
      section: 'Storage',
      description:
        'URL of the PostgreSQL database that all replicas share. Default: a single process with SQLite in DATA_DIR.',
      isPrivate: true,
    }),
  PAY_TO_EVM: z
    .string('is missing: set the address that receives payments')
    .pipe(payTo)
    .register(variableFacts, {
      section: 'Payments',
      description: `Address that receives payments on ${chainLabels}.`,
      isPrivate: true,
    }),
  FACILITATOR_KEY_EVM: privateKey.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Private key that submits settlements and pays their gas: 0x and 64 hexadecimal digits.',
    isPrivate: true,
  }),
  RECEIPT_SIGNING_KEY: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'must be an Ed25519 key: 0x and 64 hexadecimal digits')
    .transform((key) => key as Hex)
    .optional()
    .register(variableFacts, {
      section: 'Payments',
      description: 'Ed25519 key that signs receipts: 0x and 64 hexadecimal digits. Default: answers have no receipts.',
      isPrivate: true,
    }),
});

/**
 * Whether the only `@` ends the user name and password. Otherwise a part of the password would be read as the host: it
 * would be looked up in DNS and printed.
 */
function hasPlainHost(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password } = new URL(text);
  const separators = text.split('@').length - 1;
  return separators === 0 || (separators === 1 && username + password !== '');
}

function isPostgresUrl(text: string): boolean {
  return URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
}
