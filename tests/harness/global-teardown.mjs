export default async function tearDown() {
  await globalThis.templateServer.stop();
}
