/**
 * Returns a manifest whose entries (`exports`, `imports`, `bin`) name compiled files instead of sources: in the
 * repository Node.js runs `src`, while images and published packages contain `dist` only.
 */
export function builtManifest(manifest) {
  const { exports, imports, bin } = manifest;
  return {
    ...manifest,
    ...(exports && { exports: mapValues(exports, (path) => ({ types: built(path, '.d.ts'), default: built(path) })) }),
    ...(imports && { imports: mapValues(imports, (path) => built(path)) }),
    ...(bin && { bin: mapValues(bin, (path) => built(path)) }),
  };
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, path]) => [name, change(path)]));
}

function built(path, extension = '.js') {
  return path.replace(/^(\.\/)?src\//, '$1dist/').replace(/\.ts$/, extension);
}
