"""Making, reading, setting and watching parameters."""

import param


class Make:
    def time_parameter(self):
        param.Parameter()

    def time_selector(self):
        param.Selector(objects=["a", "b", "c"])


class MakeClass:
    params = [0, 10, 100]
    param_names = ["parameters"]

    def setup(self, parameters):
        self.count = parameters

    def time_class(self, parameters):
        type("Model", (param.Parameterized,), {f"p{i}": param.Parameter() for i in range(self.count)})


class Instance:
    def setup(self):
        self.kind = type(
            "Model", (param.Parameterized,), {f"p{i}": param.Number(default=i) for i in range(20)}
        )
        self.instance = self.kind()

    def time_instantiate(self):
        self.kind()

    def time_instantiate_with_values(self):
        self.kind(p0=1, p1=2, p2=3)

    def time_get_value(self):
        self.instance.p3

    def time_set_value(self):
        self.instance.p3 = 5

    def time_set_class_value(self):
        self.kind.p3 = 5

    def time_parameter_of_class(self):
        self.kind.param.p3

    def time_parameter_of_instance(self):
        self.instance.param.p3

    def time_contains(self):
        "p3" in self.instance.param

    def time_update(self):
        self.instance.param.update(p1=4, p2=5)


class Watch:
    def setup(self):
        self.kind = type("Model", (param.Parameterized,), {f"p{i}": param.Parameter() for i in range(10)})
        self.watched = self.kind()
        self.watched.param.watch(lambda event: None, "p0", onlychanged=False)

    def time_watch(self):
        self.kind().param.watch(lambda event: None, [f"p{i}" for i in range(10)])

    def time_trigger(self):
        self.watched.param.trigger("p0")

    def time_set_watched(self):
        self.watched.p0 = 1
