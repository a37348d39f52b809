/** The reason with which a call rejects. @throws {Error} the call resolves */
export const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => {
      throw new Error('The call should have failed.');
    },
    (reason: unknown) => reason,
  );
