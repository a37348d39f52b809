import type { Engine, PretradeChecker } from '../engine/index.ts';
import type { Ticket } from './ticket/ticket.ts';

/** The tRPC context of a request. */
export interface RouterContext {
  engine: Engine;
  pretrade: PretradeChecker;
  /** Present only if this request was paid for or is free of charge. */
  ticket?: Ticket;
  /** The query of the paid input, from `toQuery` of the procedure's terms. */
  query?: unknown;
  requestId: string;
  /** Public base URL without a trailing slash, for the links in error bodies. */
  baseUrl: string;
}
