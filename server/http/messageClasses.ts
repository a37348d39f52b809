import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';

/** The classes of a server's messages, in the form that `createServer` takes. */
export interface MessageClasses {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
  /** Makes them the request and response of the app. Call it once, for the one app of the server. */
  adopt(app: Express): void;
}

/**
 * Express sets the prototypes of every request and response. V8 then keeps both alive until the next major collection,
 * with all that they refer to. Messages that Node creates with the app's prototypes need no change. The measurement is in
 * docs/adr/003.
 */
export function createMessageClasses(): MessageClasses {
  class AppRequest extends IncomingMessage {}
  class AppResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {}
  return {
    IncomingMessage: AppRequest,
    ServerResponse: AppResponse,
    adopt(app) {
      Object.setPrototypeOf(AppRequest.prototype, app.request);
      Object.setPrototypeOf(AppResponse.prototype, app.response);
      app.request = AppRequest.prototype as Request;
      app.response = AppResponse.prototype as unknown as Response;
    },
  };
}
