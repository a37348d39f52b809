import { lowerAddresses } from '../../lowerAddress.ts';
import type { Deployment } from '../venueTypes.ts';
import { arbitrum } from './arbitrum.ts';
import { base } from './base.ts';
import { polygon } from './polygon.ts';

// A new chain is a file beside this one and an entry here.
const rows = { base, polygon, arbitrum };

type Rows = typeof rows;

/** The name of a supported chain in responses. */
export type ChainName = keyof Rows;

/** Every identifier of a chain in requests: its name, an alias or its CAIP-2 id. */
export type ChainWord = ChainName | Rows[ChainName]['aliases'][number] | `eip155:${Rows[ChainName]['chainId']}`;

/** The supported chains by their name in responses. */
export const deployments: Record<ChainName, Deployment> = lowerAddresses<Record<ChainName, Deployment>>(rows);
