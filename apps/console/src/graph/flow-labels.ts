import type { AriaLabelConfig } from '@xyflow/react';
import { i18n } from '../language/i18n.ts';

/** What screen readers say about a graph and its controls. */
export const FLOW_LABELS: Partial<AriaLabelConfig> = {
  'node.a11yDescription.default': i18n.t(
    'Press enter or space to select a node. Press delete to remove it and escape to cancel.',
  ),
  'node.a11yDescription.keyboardDisabled': i18n.t(
    'Press enter or space to select a node. You can then use the arrow keys to move the node around. Press delete to remove it and escape to cancel.',
  ),
  'node.a11yDescription.ariaLiveMessage': ({ x, y }) =>
    i18n.t('Moved the selected nodes. New position, x: {x}, y: {y}', { x, y }),
  'edge.a11yDescription.default': i18n.t(
    'Press enter or space to select an edge. You can then press delete to remove it or escape to cancel.',
  ),
  'controls.ariaLabel': i18n.t('Control Panel'),
  'controls.zoomIn.ariaLabel': i18n.t('Zoom In'),
  'controls.zoomOut.ariaLabel': i18n.t('Zoom Out'),
  'controls.fitView.ariaLabel': i18n.t('Fit View'),
  'controls.interactive.ariaLabel': i18n.t('Toggle Interactivity'),
  'minimap.ariaLabel': i18n.t('Mini Map'),
  'handle.ariaLabel': i18n.t('Handle'),
};
