const MINIMUM = [20, 19];

/** Whether this Node is new enough; says so in one line when it is not. */
export function hasNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const isEnough = major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1]);
  if (!isEnough) {
    console.error(`Deckhand needs Node ${MINIMUM.join('.')} or newer; this is ${process.versions.node}.`);
  }
  return isEnough;
}
