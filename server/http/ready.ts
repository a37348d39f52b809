import type { RequestHandler } from 'express';
import type { ReadyBody } from '../../router/index.ts';
import type { StoreProbe } from '../storage/index.ts';
import type { WorkInProgress } from '../workInProgress.ts';
import { sendJson, toJsonResponse } from './errorResponse.ts';

interface ReadyDeps {
  work: WorkInProgress;
  storeProbe: StoreProbe;
}

/** Whether a load balancer may send requests here. It calls no RPC, and writes to the store at most once a second. */
export function ready({ work, storeProbe }: ReadyDeps): RequestHandler {
  return async (_req, res) => {
    const missing: ReadyBody['missing'] = [];
    if (work.isDraining) missing.push('INTAKE');
    if (!(await storeProbe.check())) missing.push('STORE');
    const body: ReadyBody = { ready: missing.length === 0, missing };
    sendJson(res, body.ready ? toJsonResponse(200, body) : toJsonResponse(503, body, { 'Retry-After': '1' }));
  };
}
