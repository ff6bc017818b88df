/** An operation of the API. */
export interface ApiOperation {
  readonly method: string;
  /** With parameters such as `{id}`. */
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
}

/** What is read of an OpenAPI document. */
export interface OpenApiPaths {
  /** Operations by path and by method in lower case. */
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<string, { readonly operationId: string; readonly tags: readonly string[]; readonly summary: string }>
      >
    >
  >;
}

/** Returns the operations of an OpenAPI document. */
export function operationsOf({ paths }: OpenApiPaths): ApiOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([
        method,
        {
          operationId: id,
          tags: [tag = ''],
          summary,
        },
      ]) => ({
        method: method.toUpperCase(),
        path,
        id,
        tag,
        summary,
      }),
    ),
  );
}
