"""The judge's third plugin: looks at what has changed when tests are collected and when they are done. Python >= 3.8."""

import builtins
import sys

import integrity
import origins
import record_tests  # noqa: F401  so that it is one of those below

# A copy, so that nobody's later changes reach the functions below.
__builtins__ = dict(vars(builtins))

_FOLDER = __file__[: -len("integrity_plugin.py")]

OURS = {
    name: module
    for name, module in list(sys.modules.items())
    if str(getattr(module, "__file__", "")).startswith(_FOLDER)
}
"""The probe's modules, by name: `surroundings` hides them."""


class Watching:
    """Sends what `integrity.Watch` sees.

    Args:
        send: takes one message.
        watch: made before anything of the tree could be imported.
        mount: where the tree is, with a slash at the end.
    """

    def __init__(self, send, watch, mount):
        self._send = send
        self._watch = watch
        self._mount = mount
        self._origins = origins.origins

    def pytest_plugin_registered(self, plugin, manager):
        # It is registered last of the judge's plugins, and before all plugins of the tree.
        if plugin is self:
            self._watch.hooks.start(manager)

    def pytest_collection_finish(self, session):
        self._watch.tests.start(session.items)
        self._send(self._watch.look("collected"))

    def pytest_sessionfinish(self):
        self._send(dict(self._watch.look("end"), loaded=self._origins(self._mount)))


def prepare(wire, plugins, wanted, pytest):
    """The plugin, ready to be registered; an empty list when it is not wanted.

    Args:
        wire: the channel.
        plugins: the judge's other plugins.
        wanted: of the judge's start message: modules; None for no watch.
        pytest: the module.
    """
    if wanted is None:
        return []
    for hook in (Watching.pytest_collection_finish, Watching.pytest_sessionfinish):
        pytest.hookimpl(tryfirst=True)(hook)
    owned = [wire, *plugins, *(part for plugin in plugins for part in getattr(plugin, "parts", ()))]
    return [Watching(wire.send, integrity.Watch(wanted["modules"], OURS, owned), wanted["mount"])]
