import { type Address, type Hex, isAddress, isHex } from 'viem';
import { z } from 'zod';
import { facilitatorVariables } from './facilitatorVariables.ts';
import { solanaVariables } from './solanaVariables.ts';
import { urlList } from './urlList.ts';
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
  'must be an address (with a right checksum when in mixed case), not the zero address',
);

const missing = (what: string) => `is missing: ${what}`;

/** What live mode needs besides the common variables. */
export const liveVariables = vendorVariables.extend({
  ...solanaVariables.shape,
  ...facilitatorVariables.shape,
  RPC_URL_BASE: urlList.optional(),
  RPC_URL_POLYGON: urlList.optional(),
  RPC_URL_ARBITRUM: urlList.optional(),
  DATABASE_URL: z
    .string()
    .refine(isPostgresUrl, 'must be a PostgreSQL URL: postgres://user:password@host:5432/database')
    .optional(),
  PAY_TO_EVM: z.string(missing('the address that is paid')).pipe(payTo),
  FACILITATOR_KEY_EVM: privateKey.optional(),
  RECEIPT_SIGNING_KEY: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'must be an Ed25519 key: 0x and 64 hexadecimal digits')
    .transform((key) => key as Hex)
    .optional(),
});

function isPostgresUrl(text: string): boolean {
  return URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
}
