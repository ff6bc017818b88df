export default async function tearDown() {
  await globalThis.pooler?.stop();
  await globalThis.templateServer?.stop();
}
