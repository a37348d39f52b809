import { arbitrum } from './arbitrum.ts';
import { base } from './base.ts';
import { polygon } from './polygon.ts';

/** The supported chains by their name in responses. A new chain is a file beside this one and an entry here. */
export const deployments = { base, polygon, arbitrum };
